// SPDX-License-Identifier: MIT
// `ladder profile`: runs `ladder launch` under Nsight Compute and reports what it counted.
#include "profile_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "bench/atomic_file.hpp"
#include "bench/conditions.hpp"
#include "bench/temporary_folder.hpp"
#include "bench/text_list.hpp"
#include "commands.hpp"
#include "op_letter.hpp"
#include "profile/child_process.hpp"
#include "profile/kept_profile.hpp"
#include "profile/ncu_command.hpp"
#include "profile/ncu_csv.hpp"
#include "profile/profile_csv.hpp"
#include "profile/profile_report.hpp"
#include "progress.hpp"

namespace ladder::cli {

namespace {

namespace fs = std::filesystem;

int complain(const std::string& what, int code) {
  fmt::print(stderr, "ladder: {}\n", what);
  return code;
}

/// What Nsight Compute and the program under it left behind.
struct Session {
  std::vector<profile::Launched> launches;
  std::vector<std::string> other_lines;  ///< of the program, and of ncu where it does not use its log
  std::string log;
  std::vector<std::string> metrics;  ///< that were asked for in the end
  std::vector<std::string> unknown;
  profile::ChildResult result;
};

std::vector<std::string> launch_words(const ProfileOptions& options) {
  std::error_code error;
  const bench::BenchProblem p = problem_of(options);
  std::vector<std::string> words = {fs::read_symlink("/proc/self/exe", error).string(), "launch"};
  words.insert(words.end(), {"--rungs", options.rungs, "--ops", options.ops, "--m", fmt::format("{}", p.m), "--n",
                             fmt::format("{}", p.n), "--k", fmt::format("{}", p.k)});
  return words;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// One run under Nsight Compute, for the metrics of `session`.
void run_session(const std::string& ncu, const ProfileOptions& options, const fs::path& log, Session& session) {
  session.launches.clear();
  session.other_lines.clear();
  const auto words = profile::ncu_words(ncu, session.metrics, log.string(), launch_words(options));
  std::string complaint;
  const auto choices = bench::parse_rungs(options.rungs, complaint);
  Progress progress;
  session.result = profile::run_child(words, [&](const std::string& line) {
    if (const auto launched = profile::launched_from(line)) {
      progress.show(launched->choice.name(), session.launches.size(), choices ? choices->size() : 0);
      session.launches.push_back(*launched);
    } else {
      session.other_lines.push_back(line);
    }
  });
  session.log = text_of(log);
}

/// The session, and again without them where Nsight Compute refuses because it does not know some of the metrics.
Session profiled(const std::string& ncu, const ProfileOptions& options, const fs::path& log) {
  Session session;
  for (const std::string_view name : profile::metric_names()) session.metrics.emplace_back(name);
  while (true) {
    run_session(ncu, options, log, session);
    const bool refused = session.result.complaint.empty() && profile::read_ncu_csv(session.log).kernels.empty();
    const auto unknown = profile::unknown_metrics(session.log, session.metrics);
    session.unknown.insert(session.unknown.end(), unknown.begin(), unknown.end());
    if (!refused || unknown.empty() || unknown.size() == session.metrics.size()) return session;
    std::erase_if(session.metrics, [&unknown](const std::string& metric) {
      return std::ranges::find(unknown, metric) != unknown.end();
    });
  }
}

/// "2025.3.0.0 (build 36273991) (public-release)"
std::string version_of(const std::string& ncu) {
  constexpr std::string_view mark = "Version ";
  std::string version = "unknown";
  profile::run_child({ncu, "--version"}, [&](const std::string& line) {
    if (line.starts_with(mark)) version = line.substr(mark.size());
  });
  return version;
}

bench::Conditions conditions_of(const ProfileOptions& options, const std::string& ncu, const Session& session) {
  const bench::BenchProblem p = problem_of(options);
  auto conditions = bench::conditions_before(fmt::format("ladder profile --rungs {} --m {} --n {} --k {} --ops {}",
                                                         options.rungs, p.m, p.n, p.k, options.ops));
  conditions.emplace_back("Nsight Compute", version_of(ncu));
  conditions.emplace_back("problem", to_text(p) + ", random normal data");
  conditions.emplace_back("passes", "kernel replay, cold caches, clocks as they are");
  if (!session.unknown.empty()) {
    conditions.emplace_back("counters unknown to it", bench::joined(session.unknown, " "));
  }
  return conditions;
}

int report(const ProfileOptions& options, const profile::Profile& profiled, const bench::Conditions& conditions) {
  const std::string csv = profile::to_csv(profiled, conditions);
  if (options.csv) fmt::print("{}", csv);
  if (options.json) fmt::print("{}", profile::to_json(profiled, conditions));
  if (!options.csv && !options.json) fmt::print("{}", profile::to_text(profiled, conditions));
  std::string complaint;
  if (options.output.empty() || bench::write_file_atomically(options.output, csv, complaint)) return exit_ok;
  return complain(complaint, exit_failed);
}

int report_kept(const ProfileOptions& options) {
  std::string complaint;
  const auto kept = profile::read_kept_profile(options.from, complaint);
  return kept ? report(options, kept->profile, kept->conditions) : complain(complaint, exit_usage);
}

}  // namespace

bench::BenchProblem problem_of(const LaunchOptions& options) {
  bench::BenchProblem problem;
  problem.op_a = op_of_letter(options.ops[0]);
  problem.op_b = op_of_letter(options.ops[1]);
  problem.m = options.m.value_or(options.size);
  problem.n = options.n.value_or(options.size);
  problem.k = options.k.value_or(options.size);
  return bench::with_leading_dimensions(problem);
}

int profile_command(const ProfileOptions& options) {
  if (!options.from.empty()) return report_kept(options);
  const std::string illegal = what_is_illegal(problem_of(options));
  if (!illegal.empty()) return complain(illegal, exit_usage);
  const char* search_path = std::getenv("PATH");
  const auto ncu =
      options.ncu.empty() ? profile::find_ncu(search_path == nullptr ? "" : search_path) : std::optional(options.ncu);
  if (!ncu) {
    return complain(
        "Nsight Compute (ncu) is neither on PATH nor with a CUDA toolkit; the counters need it. --ncu names it "
        "elsewhere",
        exit_usage);
  }
  const bench::TemporaryFolder scratch;
  if (scratch.path().empty() && options.raw.empty())
    return complain("there is no folder for temporary files", exit_usage);
  const fs::path log = options.raw.empty() ? scratch.path() / "ncu.log" : fs::path(options.raw);
  std::error_code error;
  fs::remove(log, error);  // an old one must not pass for the answer

  const Session session = profiled(*ncu, options, log);
  if (!session.result.complaint.empty()) {
    return complain(fmt::format("cannot run {}: {}", *ncu, session.result.complaint), exit_usage);
  }
  profile::NcuOutput output = profile::read_ncu_csv(session.log);
  if (!output.complaint.empty()) return complain("cannot read what ncu wrote: " + output.complaint, exit_failed);
  if (output.kernels.empty()) {
    return complain(profile::reason_for_nothing(session.log, session.other_lines, session.result.exit_code),
                    exit_usage);
  }
  const auto profiled = profile::profile_of(problem_of(options), session.launches, std::move(output.kernels));
  // An exit code alone says little: some versions end with one when a counter was not available.
  const bool stopped = std::ranges::any_of(session.other_lines, profile::is_own_complaint);
  if (!profiled.complaint.empty() || stopped) {
    const auto why = profile::reason_for_nothing(session.log, session.other_lines, session.result.exit_code);
    return complain(profiled.complaint.empty() ? why : profiled.complaint + ": " + why, exit_failed);
  }
  return report(options, profiled, conditions_of(options, *ncu, session));
}

}  // namespace ladder::cli
