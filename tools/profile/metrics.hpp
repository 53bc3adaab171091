// SPDX-License-Identifier: MIT
// The counters that a profile asks Nsight Compute for, and what it answered for one kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::profile {

enum class Metric : std::uint8_t {
#define METRIC(id, name) id,
#include "metrics.def"
#undef METRIC
};

/// Names as Nsight Compute spells them, in the order of `Metric`.
std::span<const std::string_view> metric_names();

/// One counter of one kernel, in the unit that Nsight Compute gave it.
struct Reading {
  std::string metric;
  std::string unit;
  std::optional<double> value;  ///< nothing where it could not be counted ("n/a")
};

struct ProfiledKernel {
  std::string name;
  std::vector<Reading> readings;
};

/// The readings by name, in base units (ns, bytes, Hz), whatever unit they came in.
class Counters {
 public:
  explicit Counters(const ProfiledKernel& kernel);

  std::optional<double> operator[](Metric metric) const { return values_[static_cast<std::size_t>(metric)]; }

 private:
  static constexpr std::size_t count = 0
#define METRIC(id, name) +1
#include "metrics.def"
#undef METRIC
      ;
  std::array<std::optional<double>, count> values_;
};

}  // namespace ladder::profile
