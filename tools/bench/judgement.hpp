// SPDX-License-Identifier: MIT
// When a sampled element of C is right. The reference and the bound come from float64 sums over the same data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gemm_problem.hpp"

namespace ladder::bench {

/// One place in C, and what float64 says about the sum that belongs there.
struct Sample {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t member = 0;    ///< of the batch
  double sum = 0.0;           ///< s: the sum of the products in order of k
  double partial_sums = 0.0;  ///< R: the sum of |s_i| over the partial sums on the way
  double magnitude = 0.0;     ///< the sum of |a b|
};

enum class Accuracy : std::uint8_t {
  fp32,  ///< FP32 multiply-adds in any order
  tf32,  ///< operands cut to ten bits of mantissa
};

/// Largest error of the element that is right. FP32: 4 u (R + |s|), u = 2^-24: the running error analysis of a sum
/// (Higham, Accuracy and Stability of Numerical Algorithms, section 3.3) gives u R for the order of k; the factor
/// leaves room for a sum taken in blocks or parts. TF32 adds 2^-9 sum |a b|, two operands each off by 2^-10.
double error_bound(const Sample& sample, Accuracy accuracy);

struct Judgement {
  std::string verdict;       ///< "right", or what is wrong
  double worst_error = 0.0;  ///< largest |error| / bound; NaN where an element is
  bool right() const { return verdict == "right"; }
};

/// Where NaN was found in all of C.
struct NanCount {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< row + m * (column + n * member)
};

/// values[i] is what C holds at samples[i].
Judgement judge_samples(const std::vector<Sample>& samples, const std::vector<float>& values, Accuracy accuracy,
                        const NanCount& nans, const GemmProblem& problem);

/// `count` different places of C or all of it where it has no more, the corners first, the rest drawn from a fixed
/// seed over the whole batch. Sums are left at 0.
std::vector<Sample> sample_places(const GemmProblem& problem, std::size_t count);

}  // namespace ladder::bench
