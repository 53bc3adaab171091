// SPDX-License-Identifier: MIT
// Runs another program and reads along.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ladder::profile {

struct ChildResult {
  int exit_code = 0;      ///< 128 + the signal's number where one ended it
  std::string complaint;  ///< why it could not be run; empty otherwise
};

/// Runs `words[0]`, a path or a name on PATH, with the rest as its arguments, without a shell, in the C locale and
/// without standard input, and waits. Each line that it or its children write to stdout or stderr goes to `on_line`,
/// without its newline.
ChildResult run_child(const std::vector<std::string>& words, const std::function<void(const std::string&)>& on_line);

}  // namespace ladder::profile
