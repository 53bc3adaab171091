// SPDX-License-Identifier: MIT
// `ladder tune`: which problems, the progress, the report, and where the outcome goes.
#include "tune_command.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/atomic_file.hpp"
#include "bench/conditions.hpp"
#include "bench/results_json.hpp"
#include "bench/rung_choice.hpp"
#include "bench/shape_list.hpp"
#include "bench_command.hpp"
#include "commands.hpp"
#include "gpu_identity.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "shim/config.hpp"
#include "table.hpp"
#include "tune/tuning_files.hpp"
#include "tune_host.hpp"

namespace ladder::cli {

namespace {

const char* variable(const char* name) { return std::getenv(name); }

/// Where the library will look: what LADDER_TUNING names, else the per-user file. Empty where there is neither.
std::string cache_path(const TuneOptions& options) {
  if (!options.output.empty()) return options.output;
  std::vector<std::string> complaints;
  return shim::parse_config(variable, complaints).tuning.path;
}

std::optional<std::vector<bench::BenchProblem>> problems_of(const TuneOptions& options, std::string& complaint) {
  if (!options.shapes_file.empty()) return bench::read_shapes(options.shapes_file, complaint);
  std::vector<bench::BenchProblem> problems;
  for (const std::string& shape : options.shapes) {
    const auto parsed = bench::parse_shapes(shape, complaint);
    if (!parsed) return std::nullopt;
    problems.insert(problems.end(), parsed->begin(), parsed->end());
  }
  if (!problems.empty()) return problems;
  complaint = "name a problem, such as 4096, or a file of them with --shapes";
  return std::nullopt;
}

std::vector<const Rung*> rungs_of(const TuneOptions& options) {
  if (options.rungs == "all") return tune::tunable_rungs();
  std::string complaint;
  std::vector<const Rung*> rungs;
  const auto choices = bench::parse_rungs(options.rungs, complaint);
  for (const bench::RungChoice& choice : *choices) rungs.push_back(choice.rung);
  return rungs;
}

void print_table(const tune::Session& session) {
  Table table({"problem", "rung", "chosen", "ms", "model's choice", "gain", "runner-up"});
  for (const tune::Choice& c : session.choices) {
    table.add_row({bench::to_text(c.problem), rung_label(*c.rung), c.config, fmt::format("{:.4g}", c.time.median),
                   c.models_choice, fmt::format("{:+.1f} %", 100.0 * (c.gain - 1.0)), c.runner_up});
  }
  fmt::print("{}{} choices in {:.1f} s\n", table.text(), session.choices.size(), session.seconds);
}

void print_json(const tune::Session& session, const shim::CacheKey& key) {
  nlohmann::ordered_json all;
  all["gpu"] = key.gpu;
  all["multiprocessors"] = key.multiprocessors;
  all["driver"] = key.driver;
  all["build"] = key.build;
  all["seconds"] = session.seconds;
  all["choices"] = nlohmann::ordered_json::array();
  for (const tune::Choice& c : session.choices) {
    auto choice = shim::json_of(tune::record_of(c));
    choice["models_choice"] = c.models_choice;
    choice["gain"] = c.gain;
    all["choices"].push_back(std::move(choice));
  }
  all["not_tuned"] = session.not_tuned;
  fmt::print("{}\n", bench::json_text(all));
}

/// Empty, or a line of complaint.
std::string write_times(const TuneOptions& options, bench::Conditions conditions, const tune::Session& session) {
  std::string complaint;
  if (options.times.empty()) return complaint;
  bench::add_conditions_after(conditions);
  bench::write_file_atomically(options.times, tune::times_csv(conditions, session.times), complaint);
  return complaint;
}

/// Empty, or a line of complaint.
std::string keep(const tune::Session& session, const TuneOptions& options, const std::string& path,
                 const shim::CacheKey& key) {
  std::vector<TuningRecord> records;
  for (const tune::Choice& choice : session.choices) records.push_back(tune::record_of(choice));
  std::string complaint;
  if (!options.builtin.empty()) {
    bench::write_file_atomically(options.builtin, tune::builtin_text(key, records), complaint);
  }
  return complaint.empty() ? tune::add_to_cache(path, key, records) : complaint;
}

int fail(int code, std::string_view complaint) {
  fmt::print(stderr, "ladder: {}\n", complaint);
  return code;
}

int show(const std::string& path) {
  const GpuIdentity gpu = gpu_identity(0);
  std::string complaint;
  const std::string text =
      tune::describe_cache(path, gpu.name.empty() ? std::nullopt : std::optional(shim::cache_key(gpu)), complaint);
  if (!complaint.empty()) return fail(exit_failed, complaint);
  fmt::print("{}:\n{}", path, text);
  return exit_ok;
}

}  // namespace

int tune_command(const TuneOptions& options) {
  const std::string path = cache_path(options);
  if (path.empty()) return fail(exit_usage, "there is no place for the outcome: name a file with --output");
  if (options.show) return show(path);
  if (options.host) return tune_host(options, path);
  std::string complaint;
  const auto problems = problems_of(options, complaint);
  if (!problems) return fail(exit_usage, complaint);
  const auto workbench = tune::gpu_workbench(complaint);
  if (workbench == nullptr) return fail(exit_usage, complaint);
  const bench::Conditions conditions = bench::conditions_before(typed_command());
  Progress progress;
  const auto show_progress = [&progress](const bench::BenchProblem& problem, std::size_t done, std::size_t all) {
    progress.show("tune " + bench::to_text(problem), done, all);
  };
  const tune::Session session = tune::tune(*problems,
                                           {.rungs = rungs_of(options),
                                            .candidates = options.candidates,
                                            .budget_s = options.budget_s,
                                            .to_the_end = !options.times.empty(),
                                            .progress = show_progress},
                                           *workbench);
  progress.clear();
  const shim::CacheKey key = shim::cache_key(gpu_identity(0));
  options.json ? print_json(session, key) : print_table(session);
  for (const std::string& line : session.not_tuned) fmt::print(stderr, "ladder: not tuned: {}\n", line);
  if (const std::string failed = write_times(options, conditions, session); !failed.empty())
    return fail(exit_failed, failed);
  if (session.choices.empty()) return exit_failed;
  if (const std::string failed = keep(session, options, path, key); !failed.empty()) return fail(exit_failed, failed);
  fmt::print(stderr, "ladder: kept in {}\n", path);
  return session.not_tuned.empty() ? exit_ok : exit_failed;
}

}  // namespace ladder::cli
