// SPDX-License-Identifier: MIT
// What C should be: computed in float64, with the error that a rung may make at each element.
#pragma once

#include <vector>

#include "gemm_problem.hpp"
#include "rung.hpp"

namespace ladder::test {

/// One element of the result.
struct Expected {
  double value = 0;
  double bound = 0;  ///< how far a result may be from `value`
};

/// The m x n elements of C after the problem, column by column. Reads C as it is before, and not where
/// beta = 0; A and B not where alpha = 0. Scalars by address are read on the host.
///
/// The bound, with u = 2^-24 and gamma_r = r u / (1 - r u) (Higham, Accuracy and Stability of Numerical
/// Algorithms, 2nd ed., section 3.1). An FP32 rung computes s' = fl(sum of k products) by k fused multiply-adds
/// in order, one rounding each:              |s' - s| <= gamma_k S,           S = sum |a||b|
/// then p = fl(alpha s'), one rounding:       |p - alpha s'| <= u |alpha||s'|
/// then c' = fl(beta c + p), one rounding:    |c' - (beta c + p)| <= u |beta c + p|
/// Where it adds up blocks of k, none of them empty, a product still goes through at most k roundings: those of its own
/// block and one for each other block. Adding two numbers never underflows.
/// So |c' - c_exact| <= |alpha| D + u |alpha| (|s| + D) + u (|value| + the two before), D = gamma_k S.
/// A bias is one rounding more; relu brings no two numbers further apart, and gelu by a factor of 1.13 at most, with
/// what its own roundings add.
/// Each of the k + 2 roundings may instead lose half of the least subnormal, 2^-150, scaled by at most
/// max(1, |alpha|). This oracle's own error is the same formula with u = 2^-53.
///
/// On the tensor cores D is another one; precision_bounds.hpp derives it.
std::vector<Expected> expected_result(const GemmProblem& problem, Precision precision = Precision::fp32);

/// True where the result is within the bound; NaN only where NaN is due, infinity likewise.
bool agrees(float result, const Expected& expected);

}  // namespace ladder::test
