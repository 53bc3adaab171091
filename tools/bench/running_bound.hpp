// SPDX-License-Identifier: MIT
// An element of C in float64, and how far an FP32 sum of the same products may be from it.
#pragma once

#include <cmath>
#include <cstdint>

namespace ladder::bench {

/// Sum of products in order of k, with R = the sum of the magnitudes of all its partial sums.
///
/// An FP32 sum by fused multiply-adds in this order errs by at most u R to first order, u = 2^-24 (Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd ed., section 3.3: each step rounds its own partial sum once). Any run of
/// consecutive products sums to the difference of two partial sums; so sums taken in blocks, rounded products, and the
/// final rounding of alpha s stay inside the same terms, doubled once for the differences and once for the products.
/// Each rounding may instead lose half of the least subnormal.
class RunningSum {
 public:
  void add(float a, float b) {
    sum_ += static_cast<double>(a) * static_cast<double>(b);
    partial_sums_ += std::abs(sum_);
    ++terms_;
  }

  double value() const { return sum_; }

  /// 4 u (R + |s|): NaN or infinity where the data hold them.
  double bound() const {
    constexpr double u = 0x1p-24;
    constexpr double least_subnormal = 0x1p-149;
    return 4.0 * u * (partial_sums_ + std::abs(sum_)) + static_cast<double>(terms_) * least_subnormal;
  }

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
