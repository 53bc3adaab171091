// SPDX-License-Identifier: MIT
#include "program_break.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

namespace ladder::shim {

namespace {

/// Where the kernel had the program's break begin (proc(5), /proc/pid/stat, field 47); above all addresses where it
/// does not say.
std::uintptr_t first_break() {
  constexpr int state = 3, start_brk = 47;  // fields; a name with anything in it stands in brackets before the state
  std::array<char, 2048> text{};
  std::ifstream("/proc/self/stat").read(text.data(), text.size() - 1);
  const char* at = std::strrchr(text.data(), ')');
  for (int field = state; at != nullptr && field <= start_brk; ++field) at = std::strchr(at + 1, ' ');
  const std::uintptr_t found = at == nullptr ? 0 : std::strtoull(at, nullptr, 10);
  return found != 0 ? found : std::numeric_limits<std::uintptr_t>::max();
}

}  // namespace

bool lies_below_program_break(const void* address) {
  static const std::uintptr_t begin = first_break();
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= begin && at < reinterpret_cast<std::uintptr_t>(sbrk(0));
}

}  // namespace ladder::shim
