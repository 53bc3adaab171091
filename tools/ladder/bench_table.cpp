// SPDX-License-Identifier: MIT
// The results of `ladder bench` as a table for people.
#include <fmt/format.h>

#include "bench_command.hpp"
#include "table.hpp"

namespace ladder::cli {

namespace {

using bench::BenchRow;

constexpr double percent = 100.0;

std::string as_percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", percent * *share) : "-";
}

std::string limit_text(const BenchRow& row) {
  const auto share = bench::share_of_floor(row);
  return share ? fmt::format("{} of {}", as_percent(share), row.limit) : "-";
}

// Rungs by number and name; a peer has only a name.
std::string contender_text(const BenchRow& row) {
  return row.rung == "0" || row.rung == row.name ? row.name : fmt::format("{} {}", row.rung, row.name);
}

std::vector<std::string> cells_of(const BenchRow& row, const std::string& problem) {
  if (!bench::is_right(row)) return {problem, contender_text(row), "-", "-", "-", "-", "-", "-", row.verdict};
  const bench::Spread& time = row.time;
  return {problem,
          contender_text(row),
          fmt::format("{:.4g}", time.median),
          as_percent((time.q3 - time.q1) / time.median),
          fmt::format("{:.4g}", bench::tflops(row)),
          as_percent(bench::ratio(row)),
          limit_text(row),
          row.host_us ? fmt::format("{:.1f}", *row.host_us) : "-",
          row.verdict};
}

}  // namespace

std::string conditions_text(const bench::Conditions& conditions) {
  std::string text;
  for (const auto& [key, value] : conditions) text += fmt::format("{}: {}\n", key, value);
  return text;
}

std::string results_text(const bench::Results& results) {
  const std::string peer = results.rows.empty() ? std::string() : results.rows.front().peer;
  Table table({"problem", "rung", "ms", "spread", "TFLOP/s", peer.empty() ? "of peer" : "of " + peer, "of its limit",
               "host us", "verdict"});
  std::string before;
  for (const BenchRow& row : results.rows) {
    const std::string problem = bench::to_text(row.problem);
    table.add_row(cells_of(row, problem == before ? "" : problem));
    before = problem;
  }
  return table.text();
}

}  // namespace ladder::cli
