// SPDX-License-Identifier: MIT
// One line to a file descriptor in one write(), so that lines of several threads do not mix.
#pragma once

#include <string_view>

namespace ladder::shim {

/// Writes `line` and a newline to `descriptor`. Keeps errno, allocates nothing, reports nothing.
void write_line(int descriptor, std::string_view line);

/// The same, to stderr: for bad settings and illegal arguments, the only things said unasked.
void stderr_line(std::string_view line);

}  // namespace ladder::shim
