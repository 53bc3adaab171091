// SPDX-License-Identifier: MIT
#include "ncu_csv.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace ladder::profile {

namespace {

using Cells = std::vector<std::string>;

constexpr std::string_view heading_begins = "\"ID\",";

/// From the heading on, without the remarks between the rows.
std::string table_text(std::string_view text) {
  std::string table;
  bool begun = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    begun = begun || line.starts_with(heading_begins);
    if (begun && !line.starts_with("==")) table += line;
  }
  return table;
}

struct Table {
  std::vector<Cells> rows;
  Cells row;
};

void end_of_cell(void* text, std::size_t length, void* table) {
  static_cast<Table*>(table)->row.emplace_back(static_cast<const char*>(text), length);
}

void end_of_row(int, void* table) {
  auto& [rows, row] = *static_cast<Table*>(table);
  rows.push_back(std::move(row));
  row.clear();
}

/// The rows, or nothing where the text is not CSV.
std::optional<std::vector<Cells>> rows_of(const std::string& text) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) return std::nullopt;
  Table table;
  const std::size_t taken = csv_parse(&parser, text.data(), text.size(), end_of_cell, end_of_row, &table);
  const bool whole = taken == text.size() && csv_fini(&parser, end_of_cell, end_of_row, &table) == 0;
  csv_free(&parser);
  return whole ? std::optional(std::move(table.rows)) : std::nullopt;
}

std::optional<std::size_t> column_of(const Cells& heading, std::string_view name) {
  const auto found = std::ranges::find(heading, name);
  return found == heading.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - heading.begin()));
}

bool is_metric(const std::string& name) { return name.find("__") != std::string::npos; }

/// One row a kernel, below a row of units.
NcuOutput wide_table(const std::vector<Cells>& rows, std::size_t name_column) {
  NcuOutput output;
  const Cells& heading = rows[0];
  for (std::size_t i = 2; i < rows.size(); ++i) {
    ProfiledKernel& kernel = output.kernels.emplace_back(ProfiledKernel{rows[i][name_column], {}});
    for (std::size_t column = 0; column < heading.size(); ++column) {
      if (is_metric(heading[column])) {
        kernel.readings.push_back({heading[column], rows[1][column], number_of(rows[i][column])});
      }
    }
  }
  return output;
}

/// One row a metric; the first column numbers the kernels.
NcuOutput long_table(const std::vector<Cells>& rows, std::size_t name_column, std::size_t metric_column) {
  NcuOutput output;
  const auto unit_column = column_of(rows[0], "Metric Unit");
  const auto value_column = column_of(rows[0], "Metric Value");
  if (!unit_column || !value_column) return {{}, "there is no column \"Metric Unit\" or \"Metric Value\""};
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (i == 1 || rows[i][0] != rows[i - 1][0]) {
      output.kernels.emplace_back(ProfiledKernel{rows[i][name_column], {}});
    }
    if (!is_metric(rows[i][metric_column])) continue;
    output.kernels.back().readings.push_back(
        {rows[i][metric_column], rows[i][*unit_column], number_of(rows[i][*value_column])});
  }
  return output;
}

}  // namespace

std::optional<double> number_of(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ',');
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

NcuOutput read_ncu_csv(std::string_view text) {
  const std::string table = table_text(text);
  if (table.empty()) return {};
  const auto rows = rows_of(table);
  if (!rows) return {{}, "a quoted cell does not end, or is followed by more text"};
  const Cells& heading = rows->front();
  for (std::size_t i = 1; i < rows->size(); ++i) {
    if ((*rows)[i].size() != heading.size()) {
      return {{}, fmt::format("row {} has {} cells, the heading {}", i + 1, (*rows)[i].size(), heading.size())};
    }
  }
  const auto name_column = column_of(heading, "Kernel Name");
  if (!name_column) return {{}, "there is no column \"Kernel Name\""};
  const auto metric_column = column_of(heading, "Metric Name");
  return metric_column ? long_table(*rows, *name_column, *metric_column) : wide_table(*rows, *name_column);
}

}  // namespace ladder::profile
