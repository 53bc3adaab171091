// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ladder::cli {

Table::Table(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }

void Table::add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

std::string Table::text() const {
  const std::size_t columns = rows_.front().size();
  std::vector<std::size_t> widths(columns, 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  widths.back() = 0;
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < columns; ++i) {
      text += fmt::format("{:<{}}{}", row[i], widths[i], i + 1 < columns ? "  " : "\n");
    }
  }
  return text;
}

}  // namespace ladder::cli
