// SPDX-License-Identifier: MIT
// How far a computed C is from float64, in a few numbers.
#pragma once

#include <cstdint>
#include <span>

namespace ladder::bench {

/// Over some of the elements of C. A NaN in C makes error_squares NaN.
struct ErrorSums {
  double error_squares;     ///< sum of (C - float64)^2
  double result_squares;    ///< sum of float64^2
  double worst;             ///< largest |C - float64| / sum |a b|, among those that are no NaN
  double worst_of_largest;  ///< the same over k times the largest |a| of the row times the largest |b| of the column
  std::uint64_t checksum;   ///< sum of a hash of each element's place and bits
};

struct ErrorFigures {
  double relative_l2 = 0.0;  ///< ||C - float64|| / ||float64||, Frobenius
  double worst = 0.0;        ///< as ErrorSums has it, here and below
  double worst_of_largest = 0.0;
  std::uint64_t checksum = 0;  ///< equal for equal bits of C
};

/// Of all elements together, each in one of `parts`. All but the checksum are NaN where an element is; no error at all
/// is 0.
ErrorFigures figures_of(std::span<const ErrorSums> parts);

}  // namespace ladder::bench
