// SPDX-License-Identifier: MIT
// Where problems are timed: the GPU with its matrices, or what a test puts in its place.
#pragma once

#include <memory>
#include <string>

#include "bench/bench_problem.hpp"
#include "rung.hpp"
#include "stopwatch.hpp"

namespace ladder::tune {

class Workbench {
 public:
  virtual ~Workbench() = default;

  /// Makes the problem's matrices; empty, or why they cannot be had.
  virtual std::string place(const bench::BenchProblem& problem) = 0;

  /// The problem placed last, with its addresses.
  virtual const GemmProblem& problem() const = 0;

  /// The rung's kernels here, or null.
  virtual const RungKernel* kernel_of(const Rung& rung) const = 0;

  /// For the problem placed last; not to be used once another is placed.
  virtual std::unique_ptr<Stopwatch> stopwatch(const RungKernel& kernel) = 0;

  virtual int multiprocessors() const = 0;

  /// Seconds since some moment.
  virtual double now_s() const = 0;
};

/// On the current GPU, random normal data, the L2 cold at the start of each run. Null with a line of complaint where
/// there is none that works, and in a build without CUDA.
std::unique_ptr<Workbench> gpu_workbench(std::string& complaint);

}  // namespace ladder::tune
