// SPDX-License-Identifier: MIT
// `ladder profile`, and `ladder launch`, which is what the profiler watches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/bench_problem.hpp"

namespace ladder::cli {

struct LaunchOptions {
  std::string rungs = "1-9";            ///< see bench::parse_rungs
  std::int64_t size = 4096;             ///< of those of m, n and k that are not given
  std::optional<std::int64_t> m, n, k;  ///< rows of C, columns of C, inner extent
  std::string ops = "NN";
};

bench::BenchProblem problem_of(const LaunchOptions& options);

struct ProfileOptions : LaunchOptions {
  std::string ncu;     ///< path; empty looks for it
  std::string output;  ///< file for the counters as CSV; empty for none
  std::string from;    ///< such a file, to report on; empty to profile
  std::string raw;     ///< file in which Nsight Compute's own output stays; empty for none
  bool json = false;
  bool csv = false;
};

/// Profiles `ladder launch` and prints a report on stdout. exit_usage where it cannot be profiled here.
int profile_command(const ProfileOptions& options);

/// For each rung: a launch to warm up, a line "rung=r01 kernels=1" on stdout, and a launch between cudaProfilerStart
/// and cudaProfilerStop, on random normal data. exit_usage where there is no GPU, or no CUDA in this build.
int launch_command(const LaunchOptions& options);

}  // namespace ladder::cli
