// SPDX-License-Identifier: MIT
// A contender on the present problem, with its samples. Internal to the race.
#pragma once

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"
#include "statistics.hpp"

namespace ladder::bench {

inline std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return spread_of(values).median;
}

struct Race::Lane {
  Contender contender;
  BenchRow row;
  std::unique_ptr<TimedWork> work;
  std::vector<double> milliseconds;
  std::vector<double> mhz;
  std::vector<double> watts;

  bool runs() const { return row.verdict == verdict_right; }

  // The first failure stays the verdict.
  void fail(const std::string& complaint) {
    if (complaint.empty() || !runs()) return;
    row.verdict = "failed: " + complaint;
  }

  // The larger one of all checks; NaN stays.
  void note_error(double error) {
    if (!row.worst_error || error > *row.worst_error || std::isnan(error)) row.worst_error = error;
  }

  void conclude() {
    if (!runs()) return;
    row.samples = static_cast<int>(milliseconds.size());
    row.time = spread_of(milliseconds);
    row.watts = median_of(watts);
    if (const auto clock = median_of(mhz)) row.sm_mhz = static_cast<int>(std::lround(*clock));
  }
};

}  // namespace ladder::bench
