// SPDX-License-Identifier: MIT
#include "csv_file.hpp"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <system_error>

namespace ladder::bench {

namespace {

/// libcsv, fed a line at a time so that each record knows where it began.
class Parser {
 public:
  Parser() { ready_ = csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) == 0; }
  ~Parser() {
    if (ready_) csv_free(&parser_);
  }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  bool between_records() const { return cells_.empty() && !open_; }

  /// One line with its newline. False where it is no CSV.
  bool feed(int line, const std::string& text) {
    if (between_records()) first_line_ = line;
    open_ = true;
    return ready_ && csv_parse(&parser_, text.data(), text.size(), on_cell, on_record, this) == text.size();
  }

  bool finish() { return ready_ && csv_fini(&parser_, on_cell, on_record, this) == 0; }

  const char* error() { return ready_ ? csv_strerror(csv_error(&parser_)) : "no memory"; }

  std::vector<CsvRecord> records;

 private:
  static void on_cell(void* text, std::size_t size, void* self) {
    static_cast<Parser*>(self)->cells_.emplace_back(static_cast<const char*>(text), size);
  }

  static void on_record(int, void* self) {
    auto& parser = *static_cast<Parser*>(self);
    parser.records.push_back({parser.first_line_, std::move(parser.cells_)});
    parser.cells_.clear();
    parser.open_ = false;
  }

  csv_parser parser_{};
  bool ready_ = false;
  bool open_ = false;
  int first_line_ = 0;
  std::vector<std::string> cells_;
};

std::optional<std::string> contents(const std::filesystem::path& path, std::string& complaint) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    complaint = fmt::format("{}: is a folder", path.string());
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.is_open() && !file.bad()) return text;
  complaint = fmt::format("{}: cannot be read", path.string());
  return std::nullopt;
}

void add_condition(CsvFile& file, std::string_view line) {
  line.remove_prefix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  const std::size_t colon = line.find(": ");
  if (colon != std::string_view::npos) {
    file.conditions.emplace_back(line.substr(0, colon), line.substr(colon + 2));
  } else if (!line.empty()) {
    file.conditions.emplace_back("note", line);
  }
}

/// Empty, or what is wrong with the columns.
std::string what_is_wrong(const std::vector<std::string>& columns, const std::vector<std::string>& required) {
  std::set<std::string> seen;
  for (const std::string& column : columns) {
    if (!seen.insert(column).second) return fmt::format("two columns are called '{}'", column);
  }
  for (const std::string& column : required) {
    if (!seen.contains(column)) return fmt::format("there is no column '{}'", column);
  }
  return {};
}

/// Empty, or "LINE: what is wrong".
std::string parse(const std::string& text, CsvFile& file) {
  Parser parser;
  std::istringstream lines(text);
  std::string line;
  int number = 0;
  while (std::getline(lines, line)) {
    ++number;
    if (parser.between_records()) {
      if (line.ends_with('\r')) line.pop_back();
      if (line.starts_with('#')) {
        add_condition(file, line);
        continue;
      }
      if (line.find_first_not_of(" \t") == std::string::npos) continue;
    }
    if (!parser.feed(number, line + '\n')) return fmt::format("{}: {}", number, parser.error());
  }
  if (!parser.finish()) return fmt::format("{}: a quoted cell has no end", number);
  file.records = std::move(parser.records);
  return {};
}

}  // namespace

bool CsvFile::has(std::string_view column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::optional<CsvFile> read_csv(const std::filesystem::path& path, const std::vector<std::string>& required,
                                std::string& complaint) {
  auto text = contents(path, complaint);
  if (!text) return std::nullopt;
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text->starts_with(byte_order_mark)) text->erase(0, byte_order_mark.size());
  CsvFile file;
  file.path = path.string();
  std::string wrong = parse(*text, file);
  if (wrong.empty() && file.records.empty()) wrong = "1: there is no line of columns";
  if (wrong.empty()) {
    const int line = file.records.front().line;
    file.columns = std::move(file.records.front().cells);
    file.records.erase(file.records.begin());
    wrong = what_is_wrong(file.columns, required);
    if (!wrong.empty()) wrong = fmt::format("{}: {}", line, wrong);
  }
  for (const CsvRecord& record : file.records) {
    if (!wrong.empty()) break;
    if (record.cells.size() != file.columns.size())
      wrong = fmt::format("{}: {} cells under {} columns", record.line, record.cells.size(), file.columns.size());
  }
  if (wrong.empty()) return file;
  complaint = fmt::format("{}:{}", file.path, wrong);
  return std::nullopt;
}

std::string csv_conditions(const std::vector<std::pair<std::string, std::string>>& conditions) {
  std::string text;
  for (const auto& [key, value] : conditions) {
    std::string line = fmt::format("{}: {}", key, value);
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    text += fmt::format("# {}\n", line);
  }
  return text;
}

std::string csv_cell(std::string_view cell) {
  const bool plain = cell.find_first_of(",\"\r\n") == std::string_view::npos && !cell.starts_with(' ') &&
                     !cell.ends_with(' ') && !cell.starts_with('#');
  if (plain) return std::string(cell);
  std::string quoted = "\"";
  for (const char character : cell) quoted.append(character == '"' ? 2 : 1, character);
  return quoted + '"';
}

std::string CsvCells::text(std::string_view column) const {
  const auto found = std::find(file_.columns.begin(), file_.columns.end(), column);
  return found == file_.columns.end() ? std::string{}
                                      : record_.cells[static_cast<std::size_t>(found - file_.columns.begin())];
}

std::int64_t CsvCells::integer(std::string_view column, std::int64_t missing) {
  const std::string cell = text(column);
  if (cell.empty()) return missing;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc{} && end == cell.data() + cell.size()) return value;
  complain(fmt::format("{} is '{}', not an integer", column, cell));
  return missing;
}

std::optional<double> CsvCells::number(std::string_view column) {
  const std::string cell = text(column);
  if (cell.empty()) return std::nullopt;
  double value = 0.0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error == std::errc{} && end == cell.data() + cell.size()) return value;
  complain(fmt::format("{} is '{}', not a number", column, cell));
  return std::nullopt;
}

void CsvCells::complain(std::string_view what) {
  if (complaint_.empty()) complaint_ = fmt::format("{}:{}: {}", file_.path, record_.line, what);
}

}  // namespace ladder::bench
