// SPDX-License-Identifier: MIT
// How far an FP32 sum of products may be from the same sum in float64.
#pragma once

#include <cmath>
#include <cstdint>

namespace ladder::bench {

/// 4 u (R + |s|), u = 2^-24: s is the sum of k products, R the sum of the magnitudes of its partial sums in order of k.
///
/// An FP32 sum by fused multiply-adds in that order errs by at most u R to first order (Higham, Accuracy and Stability
/// of Numerical Algorithms, 2nd ed., section 3.3: each step rounds its own partial sum once). Another order or blocks
/// of k have other partial sums; products may be rounded by themselves, and alpha s once more. The factor 4 is room for
/// those: on data whose partial sums are alike, as random ones are, an honest FP32 result stays far below the bound.
/// Each rounding may instead lose half of the least subnormal.
inline double running_bound(double sum, double partial_sums, std::int64_t k) {
  constexpr double u = 0x1p-24;
  constexpr double least_subnormal = 0x1p-149;
  return 4.0 * u * (partial_sums + std::abs(sum)) + static_cast<double>(k) * least_subnormal;
}

}  // namespace ladder::bench
