// SPDX-License-Identifier: MIT
#include "bench_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bench/atomic_file.hpp"
#include "bench/ceilings_report.hpp"
#include "bench/results_json.hpp"
#include "bench_report.hpp"
#include "commands.hpp"

namespace ladder::cli {

namespace {

int cannot_begin(const std::string& complaint) {
  fmt::print(stderr, "ladder: {}\n", complaint);
  return exit_usage;
}

std::string json_of(const bench::Results& results) {
  auto json = bench::results_json(results);
  json["summary"] = bench::summary_json(bench::summarize(results));
  return bench::json_text(json) + "\n";
}

void print_results(const BenchOptions& options, const bench::Results& results) {
  if (options.json) {
    fmt::print("{}", json_of(results));
  } else if (options.csv) {
    fmt::print("{}", bench::results_csv(results));
  } else {
    fmt::print("{}", results_text(results));
    if (results.rows.empty() ||
        bench::to_text(results.rows.front().problem) == bench::to_text(results.rows.back().problem))
      return;
    fmt::print("\n{}", summary_text(bench::summarize(results)));
  }
}

// Empty, or why the file could not be written.
std::string write_results(const BenchOptions& options, const bench::Results& results) {
  std::string complaint;
  if (options.output.empty()) return complaint;
  const std::filesystem::path path = options.output;
  const std::string text = path.extension() == ".json" ? json_of(results) : bench::results_csv(results);
  bench::write_file_atomically(path, text, complaint);
  return complaint;
}

int ceilings_command(const BenchOptions& options) {
  if (const std::string why = why_no_gpu_timing(); !why.empty()) return cannot_begin(why);
  std::string missing;
  const bench::Ceilings ceilings = gpu_ceilings(bench::CeilingSet::all, missing);
  if (!missing.empty()) fmt::print(stderr, "ladder: {}\n", missing);
  if (options.json) {
    fmt::print("{}\n", bench::ceilings_json(ceilings));
  } else {
    fmt::print("{}", bench::ceilings_table(ceilings));
  }
  return missing.empty() ? exit_ok : exit_failed;
}

int race_command(const BenchOptions& options) {
  std::string complaint;
  const auto plan = bench_plan(options, complaint);
  if (!plan) return cannot_begin(complaint);
  const bool on_host = options.door == "cblas" || options.door == "sgemm_";
  if (!on_host) {
    if (const std::string why = why_no_gpu_timing(); !why.empty()) return cannot_begin(why);
  }
  Progress progress;
  const auto results =
      on_host ? host_results(options, *plan, progress, complaint) : gpu_results(options, *plan, progress, complaint);
  progress.clear();
  if (!results) return cannot_begin(complaint);
  print_results(options, *results);
  complaint = write_results(options, *results);
  if (!complaint.empty()) {
    fmt::print(stderr, "ladder: {}\n", complaint);
    return exit_failed;
  }
  return std::all_of(results->rows.begin(), results->rows.end(), bench::is_right) ? exit_ok : exit_failed;
}

}  // namespace

int bench_command(const BenchOptions& options) {
  if (!options.summarize.empty()) return summarize_command(options.summarize, options.json, options.rung);
  if (!options.compare.empty()) return compare_command(options.compare[0], options.compare[1], options.json);
  if (options.ceilings && !names_problems(options)) return ceilings_command(options);
  return race_command(options);
}

}  // namespace ladder::cli
