// SPDX-License-Identifier: MIT
#include "last_error.hpp"

#include <algorithm>

namespace ladder::shim {

namespace {

constexpr std::size_t text_capacity = 256;
thread_local char text_of_thread[text_capacity] = "";

}  // namespace

void set_last_error(std::string_view text) {
  const std::size_t length = std::min(text.size(), text_capacity - 1);
  std::copy_n(text.data(), length, text_of_thread);
  text_of_thread[length] = '\0';
}

const char* last_error() { return text_of_thread; }

}  // namespace ladder::shim
