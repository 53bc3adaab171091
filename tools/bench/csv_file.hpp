// SPDX-License-Identifier: MIT
// A CSV file (RFC 4180) whose first lines may be "# key: value" conditions, as text: what the cells mean is up to
// those who read them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::bench {

struct CsvRecord {
  int line = 0;  ///< of the file, from 1: where the record begins
  std::vector<std::string> cells;
};

struct CsvFile {
  std::string path;
  std::vector<std::pair<std::string, std::string>> conditions;
  std::vector<std::string> columns;
  std::vector<CsvRecord> records;  ///< each with as many cells as there are columns

  bool has(std::string_view column) const;
};

/// Nothing and one line "PATH:LINE: what is wrong" where the file cannot be read, is no CSV, lacks one of the
/// `required` columns, names a column twice, or has a record of another length.
std::optional<CsvFile> read_csv(const std::filesystem::path& path, const std::vector<std::string>& required,
                                std::string& complaint);

/// `cell`, in quotes where it needs them.
std::string csv_cell(std::string_view cell);

/// The "# key: value" lines; a value of several lines becomes one.
std::string csv_conditions(const std::vector<std::pair<std::string, std::string>>& conditions);

/// The cells of one record by name. The first that cannot be read leaves its complaint; the others are then empty.
class CsvCells {
 public:
  CsvCells(const CsvFile& file, const CsvRecord& record) : file_(file), record_(record) {}

  /// Empty where there is no such column.
  std::string text(std::string_view column) const;
  /// `missing` where there is no such column or the cell is empty.
  std::int64_t integer(std::string_view column, std::int64_t missing);
  /// Nothing where there is no such column or the cell is empty; may be NaN or infinite.
  std::optional<double> number(std::string_view column);

  /// "PATH:LINE: what is wrong"; only the first is kept.
  void complain(std::string_view what);
  const std::string& complaint() const { return complaint_; }

 private:
  const CsvFile& file_;
  const CsvRecord& record_;
  std::string complaint_;
};

}  // namespace ladder::bench
