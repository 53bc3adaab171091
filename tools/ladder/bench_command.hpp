// SPDX-License-Identifier: MIT
// `ladder bench`: what it is asked, and its parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/bench_problem.hpp"
#include "bench/ceilings/ceilings.hpp"
#include "bench/matrix_data.hpp"
#include "bench/results.hpp"
#include "bench/rung_choice.hpp"
#include "progress.hpp"

namespace ladder::cli {

struct BenchOptions {
  std::vector<std::string> shapes;  ///< as parse_shape takes them
  std::string shape_file;           ///< CSV; empty for none, here and below
  std::string replay;               ///< a line of the library's log
  std::string ops;                  ///< "NN,TN": each of `shapes` with each of them
  std::string category;             ///< only problems of this one
  std::string rungs;                ///< as parse_rungs takes them; empty: the default rung, or that of `replay`
  std::string against;              ///< names of peers with commas, or "none"; empty: cublas, or what a host door has
  std::string data = "normal";
  bool warm_cache = false;
  int samples = 0;         ///< 0: as many as the time of a run suggests
  double sustain_s = 0.0;  ///< above 0: each contender works that long without a pause
  int calls = 0;           ///< in a row, for the host's time of one; 0: a few into an idle stream
  double pause_s = 0.3;
  std::string door = "kernel";  ///< "kernel", "cublas", "cblas", "sgemm_"
  std::string blas;             ///< path of OpenBLAS, for a host door; empty: found by the loader, here and below
  std::string nvblas;           ///< path of NVBLAS
  std::string nvblas_gpus = "0";
  double peer_timeout_s = 120.0;
  std::string output;  ///< file for the results, see files_of(): JSON where its name ends so, else CSV
  bool csv = false;
  bool json = false;
  bool ceilings = false;
  std::string summarize;             ///< a file of results, instead of measuring
  std::string rung;                  ///< of that summary
  std::vector<std::string> compare;  ///< two files of results, instead of measuring
};

/// Measures, or looks at files of results, and reports on stdout. exit_failed where a result was wrong or a launch
/// failed, exit_usage where nothing could be begun.
int bench_command(const BenchOptions& options);

/// What to measure, and by what.
struct BenchPlan {
  std::vector<bench::BenchProblem> problems;
  std::vector<bench::RungChoice> rungs;
  std::vector<std::string> peers;  ///< the first is what ratios compare with
};

/// Nothing, and a line for people, where the options make no sense.
std::optional<BenchPlan> bench_plan(const BenchOptions& options, std::string& complaint);

/// Empty where --output can be written or was not given, or why it cannot: to be said before the minutes of measuring.
std::string why_no_output(const BenchOptions& options);

/// True for a door that takes host pointers.
bool is_host_door(const BenchOptions& options);

/// True where the options name problems, so that --ceilings is not all that is asked.
bool names_problems(const BenchOptions& options);

/// Empty, or why nothing can be timed on a GPU: no CUDA in this build, no GPU, or device code that is not optimised.
std::string why_no_gpu_timing();

/// Measured now. `complaint` says what is missing; only where why_no_gpu_timing() is empty.
bench::Ceilings gpu_ceilings(bench::CeilingSet which, std::string& complaint);

/// Times the plan on the GPU. Nothing, and why, where it cannot begin; only where why_no_gpu_timing() is empty.
std::optional<bench::Results> gpu_results(const BenchOptions& options, const BenchPlan& plan, Progress& progress,
                                          std::string& complaint);

/// Times calls with host pointers through the door. Nothing, and why, where it cannot begin.
std::optional<bench::Results> host_results(const BenchOptions& options, const BenchPlan& plan, Progress& progress,
                                           std::string& complaint);

/// A line each.
std::string conditions_text(const bench::Conditions& conditions);

/// A table for people.
std::string results_text(const bench::Results& results);

/// The command as it was typed, for the conditions.
std::string typed_command();

}  // namespace ladder::cli
