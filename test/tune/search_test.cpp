// SPDX-License-Identifier: MIT
// The search for the quickest configuration, on a clock that the test sets.
#include "tune/search.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>

namespace ladder::tune {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Says what each configuration takes, with noise where that is wanted; counts the runs.
class FakeStopwatch final : public Stopwatch {
 public:
  explicit FakeStopwatch(std::vector<double> truth, double noise = 0.0, std::uint32_t seed = 1)
      : runs(truth.size()), truth_(std::move(truth)), generator_(seed), factor_(1.0 - noise, 1.0 + noise) {}

  std::optional<double> time_ms(int config) override {
    const auto index = static_cast<std::size_t>(config);
    ++runs[index];
    if (!std::isfinite(truth_[index])) return std::nullopt;
    const double ms = truth_[index] * factor_(generator_);
    spent_ms += ms;
    return ms;
  }

  std::vector<int> runs;
  double spent_ms = 0.0;

 private:
  std::vector<double> truth_;
  std::mt19937 generator_;
  std::uniform_real_distribution<double> factor_;
};

}  // namespace

TEST_CASE("the planted best is found where the model has it among the candidates") {
  const std::vector<double> predicted = {3, 1, 2, 5, 4};
  for (std::size_t planted : {1u, 2u, 0u}) {  // the model's first, second and third
    std::vector<double> truth(predicted.size(), 1.0);
    truth[planted] = 0.8;
    FakeStopwatch stopwatch(truth);
    const SearchResult found = search(predicted, stopwatch, {.candidates = 3});
    CHECK(found.timed.front().config == static_cast<int>(planted));
    CHECK(found.timed.front().time.median == doctest::Approx(0.8));
    CHECK(found.models_choice == 1);
    CHECK(found.timed.size() == 3);
    CHECK(stopwatch.runs[3] == 0);
    CHECK(stopwatch.runs[4] == 0);
  }
}

TEST_CASE("what the model ranks too low is not looked at, unless all are asked for") {
  const std::vector<double> predicted = {1, 2, 3};
  FakeStopwatch few({1.0, 1.0, 0.5});
  CHECK(search(predicted, few, {.candidates = 2}).timed.front().config == 0);
  FakeStopwatch all({1.0, 1.0, 0.5});
  CHECK(search(predicted, all, {.candidates = all_candidates}).timed.front().config == 2);
}

TEST_CASE("what the model says cannot run is never run") {
  FakeStopwatch stopwatch({0.1, 1.0});
  const SearchResult found = search(std::vector<double>{never, 1}, stopwatch, {});
  CHECK(found.timed.front().config == 1);
  CHECK(stopwatch.runs[0] == 0);
  FakeStopwatch idle({1.0});
  CHECK(search(std::vector<double>{never}, idle, {}).timed.empty());
  CHECK(search({}, idle, {}).timed.empty());
  CHECK(idle.runs[0] == 0);
}

TEST_CASE("a candidate that falls behind is given up, which saves runs") {
  const std::vector<double> predicted = {1, 2, 3};
  FakeStopwatch stopwatch({0.2, 0.4, 0.21});
  const SearchResult found = search(predicted, stopwatch, {});
  CHECK(found.timed.front().config == 0);
  CHECK(stopwatch.runs[1] == 2);                   // one to warm up, one that counts
  CHECK(stopwatch.runs[2] == 1 + runs_for(0.21));  // within the margin: all of its runs
  CHECK(stopwatch.runs[0] >= 1 + runs_for(0.2));
}

TEST_CASE("no candidate is given up where each is asked for to the end") {
  FakeStopwatch stopwatch({0.2, 0.4, 0.21});
  const SearchResult found = search(std::vector<double>{1, 2, 3}, stopwatch, {.to_the_end = true});
  CHECK(found.timed.front().config == 0);
  CHECK(stopwatch.runs[1] == 1 + runs_for(0.4));
  CHECK(found.timed.back().runs == runs_for(0.4));
}

TEST_CASE("noise does not hide a difference of more than a twentieth") {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    FakeStopwatch stopwatch({1.06, 1.0, 1.06}, 0.02, seed);
    CHECK(search(std::vector<double>{1, 2, 3}, stopwatch, {}).timed.front().config == 1);
  }
}

TEST_CASE("the two best take turns once more where they are close, and only then") {
  FakeStopwatch close({1.0, 1.0}, 0.03);
  search(std::vector<double>{1, 2}, close, {});
  CHECK(close.runs[0] == 1 + 2 * runs_for(1.0));
  CHECK(close.runs[1] == 1 + 2 * runs_for(1.0));
  FakeStopwatch apart({1.0, 1.1});
  search(std::vector<double>{1, 2}, apart, {});
  CHECK(apart.runs[0] == 1 + runs_for(1.0));
}

TEST_CASE("a launch that fails drops the candidate, the model's own too") {
  FakeStopwatch stopwatch({never, 1.0, 2.0});
  const SearchResult found = search(std::vector<double>{1, 2, 3}, stopwatch, {});
  CHECK(found.failed == 1);
  CHECK(found.timed.front().config == 1);
  CHECK(found.models_choice == 0);
  FakeStopwatch nothing({never, never});
  const SearchResult none = search(std::vector<double>{1, 2}, nothing, {});
  CHECK(none.failed == 2);
  CHECK(none.timed.empty());
}

TEST_CASE("short runs are many, long ones few") {
  CHECK(runs_for(0.001) == 15);
  CHECK(runs_for(0.0) == 15);
  CHECK(runs_for(0.5) == 4);
  CHECK(runs_for(1.0) == 3);
  CHECK(runs_for(10.0) == 3);
  CHECK(runs_for(30.0) == 2);
  CHECK(runs_for(220.0) == 1);
  FakeStopwatch stopwatch({220.0, 400.0});
  search(std::vector<double>{1, 2}, stopwatch, {});
  CHECK(stopwatch.runs[0] == 1);
  CHECK(stopwatch.runs[1] == 1);
}

TEST_CASE("out of time: the first candidate is timed, and no more") {
  FakeStopwatch stopwatch({1.0, 0.5});
  const SearchResult found =
      search(std::vector<double>{1, 2}, stopwatch, {.out_of_time = [&] { return stopwatch.spent_ms > 1.0; }});
  CHECK(found.timed.size() == 1);
  CHECK(found.timed.front().config == 0);
  CHECK(stopwatch.runs[1] == 0);
}

}  // namespace ladder::tune
