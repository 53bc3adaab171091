// SPDX-License-Identifier: MIT
// The matrices of a problem on the current GPU: drawn there, poisoned there, and judged there against float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_problem.hpp"
#include "gemm_problem.hpp"
#include "judgement.hpp"

namespace ladder::bench {

enum class Data : std::uint8_t {
  normal,    ///< mean 0, variance 1
  uniform,   ///< -1 ... 1
  positive,  ///< 0 ... 1
  zeros,
};

/// By name; nothing where there is no such distribution.
std::optional<Data> data_named(std::string_view name);
const char* data_name(Data data);

/// A, B and C of one problem at a time, in one piece of device memory that grows and is kept between problems.
/// Everything waits for the device. One thread.
class DeviceMatrices {
 public:
  DeviceMatrices() = default;
  ~DeviceMatrices();
  DeviceMatrices(const DeviceMatrices&) = delete;
  DeviceMatrices& operator=(const DeviceMatrices&) = delete;

  /// Makes room for `problem` and draws A and B, the same each time; what lies between the columns is NaN.
  /// Empty, or why it cannot be had (no memory); there is no problem then.
  std::string place(const BenchProblem& problem, Data data);

  /// C := op(A) op(B) on the matrices, alpha = 1, beta = 0.
  const GemmProblem& problem() const { return problem_; }

  /// Fills C with NaN. Empty, or what went wrong.
  std::string poison() const;

  /// Compares C with float64 at fixed places (the corners among them, in the whole batch), and looks for NaN in all of
  /// it. To be called after the work on C was enqueued, on any stream: it waits for the device, and a failure of that
  /// work shows as the verdict.
  Judgement judge(Accuracy accuracy);

 private:
  std::string reserve(std::size_t bytes);
  std::string prepare_samples();

  GemmProblem problem_;
  std::vector<Sample> samples_;  ///< empty until the first judge() of a problem
  void* memory_ = nullptr;
  std::size_t capacity_ = 0;
  void* scratch_ = nullptr;  ///< of the judge: places, sums and values at them
};

}  // namespace ladder::bench
