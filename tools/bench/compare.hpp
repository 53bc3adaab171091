// SPDX-License-Identifier: MIT
// Two result files of the same problems: what got quicker or slower by more than the spread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results.hpp"

namespace ladder::bench {

/// A change below this is none, whatever the quartiles say.
inline constexpr double least_change = 0.01;

struct Change {
  std::string what;  ///< contender and problem
  Spread before;
  Spread after;
  double change = 0.0;  ///< time after / time before - 1: above 0 is slower
};

struct Comparison {
  int compared = 0;                   ///< rows that are right in both files
  std::vector<Change> slower;         ///< worst first
  std::vector<Change> quicker;        ///< best first
  std::optional<double> geomean;      ///< of time before / time after: above 1 is quicker
  std::vector<std::string> broken;    ///< right before, not any more
  std::vector<std::string> repaired;  ///< the other way round
  std::vector<std::string> only_before;
  std::vector<std::string> only_after;
  /// What differs of GPU, driver, toolkit, host, commit, door and libraries: "GPU: X -> Y".
  std::vector<std::string> conditions;
};

/// Rows are the same where problem (apart from its category), rung, name, data and cache are. A row changed where the
/// intervals q1..q3 do not overlap and the medians differ by more than least_change.
Comparison compare(const Results& before, const Results& after);

}  // namespace ladder::bench
