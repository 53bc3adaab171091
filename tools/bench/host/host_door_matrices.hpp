// SPDX-License-Identifier: MIT
// The matrices of a host-pointer call: in pageable memory, drawn from a seed, judged element by element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "bench/bench_problem.hpp"
#include "bench/judgement.hpp"
#include "bench/matrix_data.hpp"

namespace ladder::bench {

/// What is multiplied: the same values in every process that is given the same task.
struct HostTask {
  BenchProblem problem;  ///< legal
  Data data = Data::normal;
  std::uint64_t seed = 1;
};

/// A, B and C of a whole batch, member after member.
class HostMatrices {
 public:
  /// Draws A and B with as many threads as the machine has; C holds NaN. Throws std::exception where there is no
  /// memory for them.
  explicit HostMatrices(const HostTask& task);

  const BenchProblem& problem() const { return problem_; }
  const float* a(std::int64_t member) const { return a_.get() + member * stride_a(problem_); }
  const float* b(std::int64_t member) const { return b_.get() + member * stride_b(problem_); }
  float* c(std::int64_t member) { return c_.get() + member * stride_c(problem_); }

  /// Fills C with NaN, so that an element nobody writes is seen.
  void poison();

  /// What some elements of C (sample_places()) are worth against float64, and whether any element is NaN.
  Judgement judgement(Accuracy accuracy = Accuracy::fp32) const;

 private:
  void sum_up(Sample& sample) const;
  NanCount nans() const;

  BenchProblem problem_;
  std::size_t elements_c_;
  std::unique_ptr<float[]> a_, b_, c_;
};

}  // namespace ladder::bench
