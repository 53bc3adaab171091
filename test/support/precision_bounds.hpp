// SPDX-License-Identifier: MIT
// How far the sum of an element's products may be from the exact one, by what a rung makes of elements and products.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm_problem.hpp"
#include "rung.hpp"

namespace ladder::test {

/// r u / (1 - r u): what r roundings to a unit u come to (Higham, Accuracy and Stability of Numerical Algorithms,
/// 2nd ed., section 3.1).
double gamma(double roundings, double unit);

/// The bounds D of one problem's sums; S = sum |a||b| and u = 2^-24.
///
/// Tensor cores (Khattak and Mikaitis, arXiv 2512.07004) take an instruction's t products and its old sum at once: each
/// of the t + 1 terms is cut off at 2^-25 of the largest, and the sum at 2^-23 of itself, so a step of t products errs
/// by ((t + 1) / 2 + 2) u of what its terms amount to.
///
/// tf32: elements are rounded to 11 bits, so that each product errs by 2 * 2^-11 + 2^-22 of itself. Steps of 8 or
/// fewer products err by (k / 2 + 2.5 (k / 8 + 1)) u <= (k + 3) u in all. TF32's subnormals may count as 0.
///
/// bf16x6: three planes hold an element without a rest, each below 2^-8 of the one before. The products left out,
/// middle times low twice and low times low, come to u |a||b|. Steps of 16 products add the high planes' products,
/// (t / 2 + 5) u for the t <= 32 of a slab, from 0. The others are 2^-7 as large; their ten steps a slab err by
/// 10 * 10.5 u 2^-7 < 0.85 u of S. In two numbers: each slab's high sum is added to the large one, whose loss goes to
/// the small one, in which the steps of all ceil(k / 32) slabs end; both are added at the end. That is t / 2 + 5 + 1 +
/// 0.85 ceil(k / 32) + 1. In one number: both sums of a slab start at 0, and each is added to the number, so that a
/// product goes through 2 ceil(k / 32) - 1 roundings (fewer where blocks of k are put aside). That is t / 2 + 5 + 1 +
/// 0.85 + 2 ceil(k / 32) - 1. Either is within
///                                                  D = gamma_r S,    r = min(k, 32) / 2 + 7 + 2 ceil(k / 32),
/// which is less than FP32's k from k = 19 on. Elements beyond the planes' range go through FP32 FMAs: r = max(k, r).
///
/// fp16x3: an element, divided by its scale, is high + low + rest with |rest| <= 2^-22 |a|, or <= 2^-25 where low is
/// subnormal in fp16, which is 2^-39 of the largest element, of 2^14 or more, that shares the scale. The product left
/// out, low times low, is below 2^-22 of the whole. So the three products err by 3 * 2^-22 |a||b| = 12 u |a||b| and by
/// 2^-39 (largest |a| * |b| + largest |b| * |a|). Sums start at 0 every 64 of k: steps of 16 err by
/// (t / 2 + 2.5 ceil(t / 16)) u for the t <= 64 products; the others are 2^-10 as large and err by less than u; both
/// are added as above. Together
///    D = gamma_r S + 2^-39 sum (A_k |b| + B_k |a|),    r = 14 + t / 2 + 2.5 ceil(t / 16) + ceil(k / 64),
/// with t = min(k, 64), and A_k and B_k the largest elements in the same row of op(A), or column of op(B), and the same
/// 64 of k; r is FP32's k or less from k = 50 on. Where the range is handed over, the bound is that of bf16x6.
class SumBounds {
 public:
  /// Reads A and B where k > 0.
  SumBounds(const GemmProblem& problem, std::int64_t k, Precision precision);

  /// Of element (i, j), where S is `magnitude`.
  double at(std::int64_t i, std::int64_t j, double magnitude) const;

 private:
  /// Of rows of op(A) or columns of op(B): sums of |elements|, and their largest, in each 64 of k.
  struct Chunks {
    std::vector<double> sums;
    std::vector<double> largest;
  };

  template <class At>
  static Chunks chunks_of(std::int64_t lines, std::int64_t k, const At& at);

  double relative_ = 0;     // of S
  double of_elements_ = 0;  // of the sum of |a| + |b|
  double of_largest_ = 0;   // of the sum of A_k |b| + B_k |a|
  std::int64_t chunks_ = 0;
  Chunks a_;
  Chunks b_;
};

}  // namespace ladder::test
