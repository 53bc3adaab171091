// SPDX-License-Identifier: MIT
// An element of C in float64, and how far an FP32 sum of the same products may be from it.
#pragma once

#include <cmath>
#include <cstdint>

namespace ladder::bench {

/// How far an FP32 sum of `terms` products may be from their float64 sum s, where R is the sum of the magnitudes of its
/// partial sums in order of k: 4 u (R + |s|). NaN or infinity where the data hold them.
///
/// An FP32 sum by fused multiply-adds in this order errs by at most u R to first order, u = 2^-24 (Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd ed., section 3.3: each step rounds its own partial sum once). Another order
/// or blocks of k have other partial sums, each a difference of two of these; products may be rounded by themselves,
/// and alpha s once more. The factor 4 is room for those: on data whose partial sums are alike, as random ones are, an
/// honest FP32 result stays far below the bound. Each rounding may instead lose half of the least subnormal.
inline double running_bound(double sum, double partial_sums, std::int64_t terms) {
  constexpr double u = 0x1p-24;
  constexpr double least_subnormal = 0x1p-149;
  return 4.0 * u * (partial_sums + std::abs(sum)) + static_cast<double>(terms) * least_subnormal;
}

/// Sum of products in order of k, with the sum of the magnitudes of all its partial sums.
class RunningSum {
 public:
  void add(float a, float b) {
    sum_ += static_cast<double>(a) * static_cast<double>(b);
    partial_sums_ += std::abs(sum_);
    ++terms_;
  }

  double value() const { return sum_; }

  double bound() const { return running_bound(sum_, partial_sums_, terms_); }

  /// |error| / bound of a result: above 1, or NaN, is wrong. A result without an error is right whatever the bound.
  double share_of_bound(float result) const {
    const double error = std::abs(static_cast<double>(result) - sum_);
    return error == 0.0 ? 0.0 : error / bound();
  }

 private:
  double sum_ = 0.0;
  double partial_sums_ = 0.0;
  std::int64_t terms_ = 0;
};

}  // namespace ladder::bench
