// SPDX-License-Identifier: MIT
// The matrices of a problem on the current GPU: drawn there, poisoned there, and judged there against float64.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench_problem.hpp"
#include "error_figures.hpp"
#include "gemm_problem.hpp"
#include "judgement.hpp"
#include "matrix_data.hpp"

namespace ladder::bench {

/// A, B and C of one problem at a time, in one piece of device memory that grows and is kept between problems.
/// Everything here waits for the device. One thread.
class DeviceMatrices {
 public:
  DeviceMatrices() = default;
  ~DeviceMatrices();
  DeviceMatrices(const DeviceMatrices&) = delete;
  DeviceMatrices& operator=(const DeviceMatrices&) = delete;

  /// Makes room for `problem`, whose extents are all at least 1, and draws A and B, the same each time; what lies
  /// between the columns is NaN. Empty, or why it cannot be had; there is no problem then.
  std::string place(const BenchProblem& problem, Data data);

  /// C := op(A) op(B) on the placed matrices: alpha = 1, beta = 0.
  const GemmProblem& problem() const { return problem_; }

  /// Fills C with NaN. Empty, or what went wrong.
  std::string poison() const;

  /// Compares C with float64 at fixed places (see sample_places) and looks for NaN in all of it, once everything that
  /// was enqueued on the device is done. A failure of that work is the verdict.
  Judgement judge(Accuracy accuracy);

  /// How far the whole of C is from float64, once everything that was enqueued on the device is done. Nothing, and why,
  /// where that cannot be said.
  std::optional<ErrorFigures> errors(std::string& complaint);

 private:
  int draw(const GemmProblem& problem, Data data) const;
  std::string reserve(std::size_t bytes);
  int prepare_samples();
  int prepare_exact();
  int read_results(std::vector<float>& values, NanCount& nans) const;

  GemmProblem problem_;
  std::size_t c_bytes_ = 0;
  std::vector<Sample> samples_;  ///< empty until the first judge() of a problem
  void* memory_ = nullptr;
  std::size_t capacity_ = 0;
  void* notes_ = nullptr;   ///< of the judge, on the device
  void* exact_ = nullptr;   ///< what float64 says of each element of C, on the device
  bool has_exact_ = false;  ///< of the present problem
};

}  // namespace ladder::bench
