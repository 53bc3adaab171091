// SPDX-License-Identifier: MIT
// A bar on stderr while something takes long, where stderr is a terminal; nothing otherwise.
#pragma once

#include <cstddef>
#include <string>

namespace ladder::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` of `all` steps are done, and `what` is next.
  void show(const std::string& what, std::size_t done, std::size_t all);

  /// Takes the bar away, so that something else can be printed.
  void clear();

 private:
  bool on_terminal_;
  bool shown_ = false;
};

}  // namespace ladder::cli
