// SPDX-License-Identifier: MIT
// The search: a model ranks a rung's configurations, a stopwatch decides between the best few.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "bench/results.hpp"
#include "stopwatch.hpp"

namespace ladder::tune {

inline constexpr int all_candidates = std::numeric_limits<int>::max();

struct SearchRules {
  int candidates = 6;                      ///< how many the model may propose
  bool to_the_end = false;                 ///< no candidate is given up, however slow
  std::function<bool()> out_of_time = {};  ///< asked between candidates, once the first was timed; empty: never
};

struct TimedConfig {
  int config = 0;
  bench::Spread time;
  int runs = 0;  ///< that count
};

struct SearchResult {
  std::vector<TimedConfig> timed;  ///< the quickest first
  int models_choice = 0;           ///< the configuration that would run without a measurement
  int failed = 0;                  ///< candidates that did not run
};

/// Runs that tell enough of a configuration that takes `ms`: two milliseconds' worth, at least three and at most
/// fifteen; fewer of those that take long, whose times scatter little.
int runs_for(double ms);

/// `predicted` holds the model's time of each configuration, in any unit; what is infinite is not tried.
///
/// A candidate's first run is not counted where it is short. One that is more than 15 % slower than the best so far is
/// given up, unless the rules say otherwise. Where the two best lie within each other's spread they take turns once
/// more.
SearchResult search(std::span<const double> predicted, Stopwatch& stopwatch, const SearchRules& rules);

}  // namespace ladder::tune
