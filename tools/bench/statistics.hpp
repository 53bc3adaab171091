// SPDX-License-Identifier: MIT
// What is said about many samples. A NaN among them makes the answer NaN: it never vanishes.
#pragma once

#include <span>
#include <vector>

#include "results.hpp"

namespace ladder::bench {

/// Linear interpolation between the two order statistics around (N - 1) * share, as NumPy's default does.
/// `share` is from 0 to 1. NaN for no samples or where one is NaN.
double quantile(std::vector<double> samples, double share);

/// Median and quartiles, each by quantile().
Spread spread_of(const std::vector<double>& samples);

/// NaN for no values, or where one is not a positive finite number.
double geometric_mean(std::span<const double> values);

}  // namespace ladder::bench
