// SPDX-License-Identifier: MIT
// `ladder accuracy`: which problems with which data, and the report.
#include "accuracy_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/atomic_file.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ladder::cli {

namespace {

// From where a sum still fits a block of k to where the sum's order is what decides, and a square one.
constexpr const char* default_shapes = "1024x1024x256,1024x1024x1024,1024x1024x4096,1024x1024x8192,4096";
constexpr const char* default_ops = "NN,NT";

int cannot_begin(const std::string& complaint) {
  fmt::print(stderr, "ladder: {}\n", complaint);
  return exit_usage;
}

BenchOptions with_default_problems(BenchOptions options) {
  if (names_problems(options)) return options;
  options.shapes = {default_shapes};
  if (options.ops.empty()) options.ops = default_ops;
  return options;
}

std::string contender_text(const bench::AccuracyRow& row) {
  const std::string name = row.rung == "0" || row.rung == row.name ? row.name : row.rung + " " + row.name;
  return row.sums == bench::any_sums ? name : fmt::format("{}, {} sums", name, row.sums);
}

std::string as_text(const bench::AccuracyResults& results) {
  Table table(
      {"problem", "data", "rung", "relative L2", "max |err|/sum|ab|", "max |err|/(k max|a| max|b|)", "verdict"});
  std::string before;
  for (const bench::AccuracyRow& row : results.rows) {
    const std::string problem = bench::to_text(row.problem) + row.data;
    const bool same = problem == before;
    const bool right = bench::is_right(row);
    table.add_row({same ? "" : bench::to_text(row.problem), same ? "" : row.data, contender_text(row),
                   right ? fmt::format("{:.2e}", row.errors->relative_l2) : "-",
                   right ? fmt::format("{:.2e}", row.errors->worst) : "-",
                   right ? fmt::format("{:.2e}", row.errors->worst_of_largest) : "-", row.verdict});
    before = problem;
  }
  return table.text();
}

}  // namespace

int accuracy_command(const AccuracyOptions& options) {
  if (const std::string why = why_no_output(options.what); !why.empty()) return cannot_begin(why);
  std::string complaint;
  const auto plan = bench_plan(with_default_problems(options.what), complaint);
  if (!plan) return cannot_begin(complaint);
  Progress progress;
  const auto results = accuracy_results(options, *plan, progress, complaint);
  progress.clear();
  if (!results) return cannot_begin(complaint);
  const std::string csv = bench::accuracy_csv(*results);
  const std::string& output = options.what.output;
  const bool written = output.empty() || bench::write_file_atomically(output, csv, complaint);
  fmt::print("{}", options.what.csv ? csv : conditions_text(results->conditions) + "\n" + as_text(*results));
  if (!written) fmt::print(stderr, "ladder: {}\n", complaint);
  const auto right = [](const bench::AccuracyRow& row) { return bench::is_right(row); };
  return written && std::ranges::all_of(results->rows, right) ? exit_ok : exit_failed;
}

}  // namespace ladder::cli
