// SPDX-License-Identifier: MIT
// From a result file, ours or one made by hand, to rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "csv_file.hpp"
#include "csv_problem.hpp"
#include "results.hpp"

namespace ladder::bench {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A quantity that can only be positive. A cell that holds no finite number gives NaN, an empty one nothing.
std::optional<double> positive(CsvCells& cells, std::string_view column) {
  const std::optional<double> value = cells.number(column);
  if (value && *value <= 0.0) cells.complain(fmt::format("{} is {}, but must be above 0", column, *value));
  return value && !std::isfinite(*value) ? not_a_number : value;
}

std::optional<Spread> spread(CsvCells& cells, const std::string& column) {
  const std::optional<double> median = positive(cells, column);
  if (!median) return std::nullopt;
  return Spread{*median, positive(cells, column + "_q1").value_or(*median),
                positive(cells, column + "_q3").value_or(*median)};
}

std::optional<int> whole(CsvCells& cells, std::string_view column) {
  const std::optional<double> value = positive(cells, column);
  constexpr double largest = std::numeric_limits<int>::max();
  if (!value || !(*value <= largest)) return std::nullopt;
  return static_cast<int>(std::lround(*value));
}

// None where nothing was timed.
int samples(CsvCells& cells) {
  const std::int64_t count = cells.integer("samples", 0);
  if (count >= 0 && count <= std::numeric_limits<int>::max()) return static_cast<int>(count);
  cells.complain(fmt::format("samples is {}, but must be a count", count));
  return 0;
}

BenchRow row_from(CsvCells& cells, bool has_verdict) {
  BenchRow row;
  row.problem = problem_from(cells);
  row.rung = cells.text("rung");
  if (row.rung.empty()) cells.complain("rung is empty");
  row.name = cells.text("name");
  row.precision = cells.text("precision");
  row.data = cells.text("data");
  row.cache = cells.text("cache");
  row.timing = cells.text("timing");
  row.samples = samples(cells);
  row.time = spread(cells, "ms").value_or(Spread{not_a_number, not_a_number, not_a_number});
  row.host_us = positive(cells, "host_us");
  row.host_us_least = positive(cells, "host_us_least");
  row.peer = cells.text("peer");
  row.peer_time = spread(cells, "peer_ms");
  const std::optional<double> ratio_given = positive(cells, "ratio");
  if (!row.peer_time && ratio_given) {
    const double derived = *ratio_given * row.time.median;
    row.peer_time = Spread{derived, derived, derived};
  }
  row.limit = cells.text("limit");
  row.floor_ms = positive(cells, "floor_ms");
  const std::optional<double> share_given = positive(cells, "share_of_floor");
  if (!row.floor_ms && share_given) row.floor_ms = *share_given * row.time.median;
  row.worst_error = cells.number("worst_error");
  row.sm_mhz = whole(cells, "sm_mhz");
  row.watts = positive(cells, "watts");
  row.verdict = has_verdict ? cells.text("verdict") : std::string(verdict_right);
  return row;
}

}  // namespace

std::optional<Results> read_results(const std::filesystem::path& path, std::string& complaint) {
  const auto file = read_csv(path, {"category", "op_a", "op_b", "m", "n", "k", "batch", "rung", "ms"}, complaint);
  if (!file) return std::nullopt;
  if (!file->has("peer_ms") && !file->has("ratio")) {
    complaint = fmt::format("{}: there is neither a column 'peer_ms' nor one 'ratio'", file->path);
    return std::nullopt;
  }
  Results results;
  results.conditions = file->conditions;
  for (const CsvRecord& record : file->records) {
    CsvCells cells(*file, record);
    results.rows.push_back(row_from(cells, file->has("verdict")));
    if (cells.complaint().empty()) continue;
    complaint = cells.complaint();
    return std::nullopt;
  }
  if (!results.rows.empty()) return results;
  complaint = fmt::format("{}: there are columns, but no rows", file->path);
  return std::nullopt;
}

}  // namespace ladder::bench
