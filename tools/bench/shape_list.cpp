// SPDX-License-Identifier: MIT
#include "shape_list.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "csv_file.hpp"
#include "csv_problem.hpp"
#include "text_list.hpp"

namespace ladder::bench {

namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool read_ops(std::string_view text, BenchProblem& problem) {
  if (text.size() != 2) return false;
  const auto op_a = op_from_letter(text.substr(0, 1)), op_b = op_from_letter(text.substr(1));
  if (!op_a || !op_b) return false;
  problem.op_a = *op_a;
  problem.op_b = *op_b;
  return true;
}

bool read_extents(std::string_view text, BenchProblem& problem) {
  const auto parts = split(text, 'x');
  const std::array<std::int64_t*, 3> extents = {&problem.m, &problem.n, &problem.k};
  if (parts.size() != 1 && parts.size() != extents.size()) return false;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto extent = whole_number(parts.size() == 1 ? parts[0] : parts[i]);
    if (!extent) return false;
    *extents[i] = *extent;
  }
  return true;
}

bool read_batch(std::string_view text, BenchProblem& problem) {
  const auto batch = whole_number(text);
  problem.batch = batch.value_or(0);
  return batch.has_value();
}

}  // namespace

std::optional<std::vector<BenchProblem>> read_shapes(const std::filesystem::path& path, std::string& complaint) {
  const auto file = read_csv(path, {"category", "op_a", "op_b", "m", "n", "k"}, complaint);
  if (!file) return std::nullopt;
  std::vector<BenchProblem> problems;
  for (const CsvRecord& record : file->records) {
    CsvCells cells(*file, record);
    problems.push_back(problem_from(cells));
    if (cells.complaint().empty()) continue;
    complaint = cells.complaint();
    return std::nullopt;
  }
  if (!problems.empty()) return problems;
  complaint = fmt::format("{}: there are columns, but no problems", file->path);
  return std::nullopt;
}

std::optional<BenchProblem> parse_shape(std::string_view text, std::string& complaint) {
  BenchProblem problem;
  std::string_view rest = text;
  bool understood = true;
  if (const std::size_t colon = rest.find(':'); colon != std::string_view::npos) {
    understood = read_ops(rest.substr(0, colon), problem);
    rest.remove_prefix(colon + 1);
  }
  if (const std::size_t star = rest.find('*'); star != std::string_view::npos) {
    understood = understood && read_batch(rest.substr(star + 1), problem);
    rest = rest.substr(0, star);
  }
  if (!understood || !read_extents(rest, problem)) {
    complaint = fmt::format("'{}' is no shape; these are: 4096, 4096x2x4096 (m x n x k), TN:4096x2x4096*96", text);
    return std::nullopt;
  }
  if (problem.m == problem.n && problem.n == problem.k) problem.category = "square";
  problem = with_leading_dimensions(problem);
  const std::string wrong = what_is_illegal(problem);
  if (wrong.empty()) return problem;
  complaint = fmt::format("shape '{}': {}", text, wrong);
  return std::nullopt;
}

std::optional<std::vector<BenchProblem>> parse_shapes(std::string_view text, std::string& complaint) {
  std::vector<BenchProblem> problems;
  for (const std::string_view part : split(text, ',')) {
    const auto problem = parse_shape(part, complaint);
    if (!problem) return std::nullopt;
    problems.push_back(*problem);
  }
  return problems;
}

}  // namespace ladder::bench
