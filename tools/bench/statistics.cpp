// SPDX-License-Identifier: MIT
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ladder::bench {

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

double quantile(std::vector<double> samples, double share) {
  const bool defined =
      !samples.empty() && std::none_of(samples.begin(), samples.end(), [](double x) { return std::isnan(x); });
  if (!defined || !(share >= 0.0 && share <= 1.0)) return not_a_number;
  std::sort(samples.begin(), samples.end());
  const double position = static_cast<double>(samples.size() - 1) * share;
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return std::lerp(samples[below], samples[above], position - static_cast<double>(below));
}

Spread spread_of(const std::vector<double>& samples) {
  constexpr double middle = 0.5, first_quarter = 0.25, third_quarter = 0.75;
  return {quantile(samples, middle), quantile(samples, first_quarter), quantile(samples, third_quarter)};
}

double geometric_mean(std::span<const double> values) {
  if (values.empty()) return not_a_number;
  double sum_of_logarithms = 0.0;
  for (const double value : values) {
    if (!(value > 0.0) || !std::isfinite(value)) return not_a_number;
    sum_of_logarithms += std::log(value);
  }
  return std::exp(sum_of_logarithms / static_cast<double>(values.size()));
}

}  // namespace ladder::bench
