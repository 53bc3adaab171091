// SPDX-License-Identifier: MIT
// A table for people: columns as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

namespace ladder::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings);

  /// One cell per heading; the last column is never padded.
  void add_row(std::vector<std::string> cells);

  /// The whole table, a line a row, each with its newline.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace ladder::cli
