// SPDX-License-Identifier: MIT
#include "search.hpp"

#include <algorithm>
#include <cmath>

#include "bench/statistics.hpp"

namespace ladder::tune {

namespace {

constexpr double wanted_ms = 2.0;
constexpr int fewest_runs = 3;
constexpr int most_runs = 15;
constexpr double long_ms = 20.0;       // from here on two runs do
constexpr double very_long_ms = 80.0;  // and here one
constexpr double warm_up_below_ms = 5.0;
constexpr double hopeless = 1.15;  // times the best so far
constexpr double never = std::numeric_limits<double>::infinity();

struct Attempt {
  int config;
  std::vector<double> samples;
};

double median(const Attempt& attempt) { return bench::spread_of(attempt.samples).median; }

/// The configurations that can run, in the order of the model's opinion; of equals the earlier first.
std::vector<int> ranked(std::span<const double> predicted) {
  std::vector<int> order;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (std::isfinite(predicted[i])) order.push_back(static_cast<int>(i));
  }
  std::ranges::stable_sort(order, {}, [predicted](int config) { return predicted[static_cast<std::size_t>(config)]; });
  return order;
}

/// False where a run failed. `best_ms`: what it has to beat, or be given up.
bool take_samples(Attempt& attempt, Stopwatch& stopwatch, double best_ms) {
  const std::optional<double> first = stopwatch.time_ms(attempt.config);
  if (!first) return false;
  if (*first >= warm_up_below_ms) attempt.samples.push_back(*first);
  const int wanted = runs_for(*first);
  while (static_cast<int>(attempt.samples.size()) < wanted) {
    if (!attempt.samples.empty() && std::ranges::min(attempt.samples) > hopeless * best_ms) return true;
    const std::optional<double> next = stopwatch.time_ms(attempt.config);
    if (!next) return false;
    attempt.samples.push_back(*next);
  }
  return true;
}

bool too_close(const Attempt& best, const Attempt& next) {
  return bench::spread_of(next.samples).q1 <= bench::spread_of(best.samples).q3;
}

/// As many samples again, in turns; those of a failing run are left as they are.
void time_in_turns(Attempt& left, Attempt& right, Stopwatch& stopwatch) {
  const int rounds = runs_for(median(left));
  for (int round = 0; round < rounds; ++round) {
    for (Attempt* attempt : {&left, &right}) {
      if (const auto ms = stopwatch.time_ms(attempt->config)) attempt->samples.push_back(*ms);
    }
  }
}

}  // namespace

int runs_for(double ms) {
  if (ms >= very_long_ms) return 1;
  if (ms >= long_ms) return 2;
  return static_cast<int>(
      std::clamp(std::ceil(wanted_ms / std::max(ms, wanted_ms / most_runs)), double{fewest_runs}, double{most_runs}));
}

SearchResult search(std::span<const double> predicted, Stopwatch& stopwatch, const SearchRules& rules) {
  SearchResult result;
  std::vector<int> order = ranked(predicted);
  if (order.empty()) return result;
  result.models_choice = order.front();
  if (static_cast<int>(order.size()) > rules.candidates) order.resize(static_cast<std::size_t>(rules.candidates));

  const auto out_of_time = [&rules] { return rules.out_of_time && rules.out_of_time(); };
  std::vector<Attempt> attempts;
  double best_ms = never;
  for (const int config : order) {
    if (!attempts.empty() && out_of_time()) break;
    Attempt attempt{config, {}};
    if (!take_samples(attempt, stopwatch, rules.to_the_end ? never : best_ms)) {
      ++result.failed;
      continue;
    }
    best_ms = std::min(best_ms, median(attempt));
    attempts.push_back(std::move(attempt));
  }

  std::ranges::stable_sort(attempts, {}, median);
  if (attempts.size() > 1 && !out_of_time() && too_close(attempts[0], attempts[1])) {
    time_in_turns(attempts[0], attempts[1], stopwatch);
    std::ranges::stable_sort(attempts.begin(), attempts.begin() + 2, {}, median);
  }
  for (const Attempt& attempt : attempts) {
    result.timed.push_back(
        {attempt.config, bench::spread_of(attempt.samples), static_cast<int>(attempt.samples.size())});
  }
  return result;
}

}  // namespace ladder::tune
