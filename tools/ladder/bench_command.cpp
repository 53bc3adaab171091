// SPDX-License-Identifier: MIT
#include "bench_command.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "bench/atomic_file.hpp"
#include "bench/ceilings/ceilings_report.hpp"
#include "bench/conditions.hpp"
#include "bench/results_by_rung.hpp"
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
    fmt::print("{}\n{}", conditions_text(results.conditions), results_text(results));
    if (results.rows.empty() ||
        bench::to_text(results.rows.front().problem) == bench::to_text(results.rows.back().problem))
      return;
    fmt::print("\n{}", summary_text(bench::summarize(results)));
  }
}

// exit_failed and a line where that went wrong. Nothing is written where there is no path.
int write_output(const std::filesystem::path& path, const std::string& json, const std::string& csv) {
  if (path.empty()) return exit_ok;
  std::string complaint;
  if (bench::write_file_atomically(path, path.extension() == ".json" ? json : csv, complaint)) return exit_ok;
  fmt::print(stderr, "ladder: {}\n", complaint);
  return exit_failed;
}

int write_results(const BenchOptions& options, const bench::Results& all) {
  int written = exit_ok;
  for (const auto& [path, results] : bench::files_of(options.output, all)) {
    written = std::max(written, write_output(path, json_of(results), bench::results_csv(results)));
  }
  return written;
}

int ceilings_command(const BenchOptions& options) {
  if (const std::string why = why_no_gpu_timing(); !why.empty()) return cannot_begin(why);
  bench::Results results;
  std::string missing;
  results.conditions = bench::conditions_before(typed_command());
  const bench::Ceilings ceilings = gpu_ceilings(bench::CeilingSet::all, missing);
  bench::add_conditions_after(results.conditions);
  if (!missing.empty()) fmt::print(stderr, "ladder: {}\n", missing);

  auto object = bench::results_json(results);
  object["ceilings"] = nlohmann::ordered_json::parse(bench::ceilings_json(ceilings));
  const std::string json = bench::json_text(object) + "\n";
  const std::string people = conditions_text(results.conditions) + "\n" + bench::ceilings_table(ceilings);
  bench::add_ceilings(results.conditions, ceilings);
  const std::string csv = bench::results_csv(results);
  const int written = write_output(options.output, json, csv);
  fmt::print("{}", options.json ? json : options.csv ? csv : people);
  return missing.empty() ? written : exit_failed;
}

int race_command(const BenchOptions& options) {
  std::string complaint;
  const auto plan = bench_plan(options, complaint);
  if (!plan) return cannot_begin(complaint);
  const bool on_host = is_host_door(options);
  if (on_host && (options.sustain_s > 0.0 || options.calls > 0))
    return cannot_begin("--sustain and --calls are about work on the GPU: a host door has none of its own");
  if (!on_host) {
    if (const std::string why = why_no_gpu_timing(); !why.empty()) return cannot_begin(why);
  }
  Progress progress;
  const auto results =
      on_host ? host_results(options, *plan, progress, complaint) : gpu_results(options, *plan, progress, complaint);
  progress.clear();
  if (!results) return cannot_begin(complaint);
  // The file first: whoever reads our stdout may close it before the end.
  const int written = write_results(options, *results);
  print_results(options, *results);
  if (written != exit_ok) return written;
  return std::all_of(results->rows.begin(), results->rows.end(), bench::is_right) ? exit_ok : exit_failed;
}

}  // namespace

std::string why_no_output(const BenchOptions& options) {
  if (options.output.empty()) return {};
  std::filesystem::path folder = std::filesystem::path(options.output).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  if (std::filesystem::exists(options.output, ignored) && !std::filesystem::is_regular_file(options.output, ignored))
    return fmt::format("--output {}: this is no file that results could replace", options.output);
  if (std::filesystem::equivalent(options.output, options.shape_file, ignored))
    return fmt::format("--output {}: the results would replace the list of shapes", options.output);
  if (access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return fmt::format("--output {}: {}", options.output, std::strerror(errno));
}

int bench_command(const BenchOptions& options) {
  const bool reads_files = !options.summarize.empty() || !options.compare.empty();
  const bool would_measure =
      names_problems(options) || options.ceilings || options.csv || !options.rungs.empty() || !options.output.empty();
  if (reads_files && would_measure)
    return cannot_begin(
        "--summarize and --compare measure nothing: no problems, --rungs, --ceilings, --csv or --output");
  if (!options.summarize.empty()) return summarize_command(options.summarize, options.json, options.rung);
  if (!options.compare.empty()) return compare_command(options.compare[0], options.compare[1], options.json);
  if (const std::string why = why_no_output(options); !why.empty()) return cannot_begin(why);
  if (options.ceilings && !names_problems(options)) return ceilings_command(options);
  return race_command(options);
}

}  // namespace ladder::cli
