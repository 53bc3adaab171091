// SPDX-License-Identifier: MIT
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace ladder::cli {

namespace {

constexpr std::size_t bar_width = 24;
constexpr const char* clear_line = "\r\033[K";

}  // namespace

Progress::Progress() : on_terminal_(isatty(STDERR_FILENO) == 1) {}

void Progress::show(const std::string& what, std::size_t done, std::size_t all) {
  if (!on_terminal_) return;
  const std::size_t filled = all == 0 ? 0 : bar_width * std::min(done, all) / all;
  fmt::print(stderr, "{}[{}{}] {}/{}  {}", clear_line, std::string(filled, '#'), std::string(bar_width - filled, '.'),
             done, all, what);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (shown_) fmt::print(stderr, "{}", clear_line);
  shown_ = false;
}

}  // namespace ladder::cli
