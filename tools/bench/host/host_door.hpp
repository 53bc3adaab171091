// SPDX-License-Identifier: MIT
// Host-pointer calls timed: our library's BLAS door against OpenBLAS in this process and NVBLAS in a process of its
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_problem.hpp"
#include "bench/matrix_data.hpp"
#include "bench/results.hpp"
#include "bench/roofline.hpp"

namespace ladder::bench {

struct HostDoorOptions {
  std::string door = "cblas";  ///< "cblas" (cblas_sgemm) or "sgemm_" (Fortran)
  std::vector<BenchProblem> problems;
  std::vector<std::string> rungs;    ///< as `ladder list` shows them; empty: the library's own choice
  std::vector<std::string> against;  ///< of "openblas" and "nvblas"; empty: openblas, and nvblas where it works
  Data data = Data::normal;
  int samples = 15;  ///< of each contender; 3 where one call takes more than 2 s
  std::uint64_t seed = 1;
  std::string library;            ///< path of libladderblas.so
  std::string blas;               ///< path of OpenBLAS; empty: LADDER_BLAS, or what the loader finds
  std::string nvblas;             ///< path of NVBLAS, then used without asking for a GPU; empty: what the loader finds
  std::string nvblas_gpus = "0";  ///< NVBLAS_GPU_LIST: ordinals with spaces between them, or ALL
  std::string tool;               ///< path of a `ladder` with the subcommand host-peer; empty: this process's own
  double peer_timeout_s = 120.0;  ///< for one answer of NVBLAS's process, beyond what the problem's size explains
  bool has_gpu = false;           ///< whether a GPU works here
  Ceilings ceilings;              ///< what is known of them; a row's floor needs fma_tflops and both pinned rates

  /// Called before each problem, and once at the end with done = all. May be empty.
  std::function<void(const std::string& what, std::size_t done, std::size_t all)> progress;
  /// Takes one line for the user, without a newline: a peer that is left out, and why. May be empty.
  std::function<void(const std::string& line)> remark;
};

/// One row a problem and contender, ours first and then the peers; `ratio` is against the first peer. Times are of the
/// host's clock around the whole synchronous call on pageable memory, contenders taking turns run by run, after a
/// first call of each that is reported apart (condition "first call NAME"). Where a CPU BLAS takes part by long calls,
/// everybody rests before each sample until no thread is awake (condition "rests"). A problem of batch > 1 is a loop of
/// calls: that is what a user of a host BLAS does. Each contender's C is poisoned with NaN and checked before and after
/// the timed calls; the row's verdict says what was wrong with a contender, its death or its silence included.
///
/// Returns nothing where the race cannot be held at all (a library that cannot be loaded, a peer asked for by name that
/// is not here); `complaint` then says why. Sets the process's rung of the library it loads while it runs; one thread.
std::optional<Results> host_door_results(const HostDoorOptions& options, std::string& complaint);

}  // namespace ladder::bench
