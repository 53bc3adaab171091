// SPDX-License-Identifier: MIT
// When a sampled element of C is right. The reference and the bound come from float64 sums over the same data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm_problem.hpp"
#include "rung.hpp"

namespace ladder::bench {

/// One place in C, and what float64 says about the sum that belongs there.
struct Sample {
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::int64_t member = 0;    ///< of the batch
  double sum = 0.0;           ///< of the products, in order of k
  double partial_sums = 0.0;  ///< sum of the magnitudes of all partial sums on the way
  double magnitude = 0.0;     ///< sum of |a b|
  double largest_a = 0.0;     ///< of the |element|s of the row of op(A)
  double largest_b = 0.0;     ///< of those of the column of op(B)
};

enum class Accuracy : std::uint8_t {
  fp32,    ///< FP32 multiply-adds in any order
  tf32,    ///< operands cut to ten bits of mantissa first, subnormals perhaps to zero
  fp16x3,  ///< operands as two halves of FP16 under a common scale
};

/// What a rung of that precision is judged by: bf16x6 is FP32's equal.
Accuracy accuracy_of(Precision precision);

/// Largest error of the element that is right: running_bound(), and what the operands themselves lose before they are
/// multiplied, a share of sum |a b| and a share of k times the largest |a| times the largest |b|.
///
/// TF32: each operand may be off by 2^-10 of itself, together 2^-9 sum |a b|, and by 2^-126 where that is more.
/// fp16x3: two halves keep an operand to 2^-23 of itself, and to 2^-39 of the largest operand under its scale where
/// that is more; the product of the low halves, at most 2^-22 |a b|, is left out: together 2^-21 sum |a b|, and 2^-38 k
/// largest_a largest_b.
double error_bound(const Sample& sample, std::int64_t k, Accuracy accuracy);

/// What rung 12 states: its error in any element is at most so much of k times the largest |a| of the element's row
/// times the largest |b| of its column, whatever the data; derived in src/kernels/ACCURACY.md.
double stated_bound_of_fp16x3(std::int64_t k);

/// NaN in the whole of C.
struct NanCount {
  std::uint64_t count = 0;
  std::uint64_t first = 0;  ///< row + m * (column + n * member)
};

struct Judgement {
  std::string verdict;       ///< "right", or what is wrong
  double worst_error = 0.0;  ///< largest |error| / bound; NaN where an element is NaN
  bool right() const { return verdict == "right"; }
};

/// values[i] is what C holds at samples[i].
Judgement judge_samples(const GemmProblem& problem, const std::vector<Sample>& samples,
                        const std::vector<float>& values, const NanCount& nans, Accuracy accuracy);

/// `count` different places of C, or all of it where it has no more: the corners of the first and the last member of
/// the batch, and others drawn from a fixed seed. In the order of memory; their sums are left at 0.
std::vector<Sample> sample_places(const GemmProblem& problem, std::size_t count);

}  // namespace ladder::bench
