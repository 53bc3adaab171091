// SPDX-License-Identifier: MIT
// A tuning session: every problem through every tunable rung, within a budget of time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "search.hpp"
#include "tuning_table.hpp"
#include "workbench.hpp"

namespace ladder::tune {

/// The rungs that have configurations to choose from, in the order of the ladder, and the choice of a rung itself.
std::vector<const Rung*> tunable_rungs();

struct SessionOptions {
  std::vector<const Rung*> rungs;
  int candidates = SearchRules{}.candidates;
  double budget_s = 60.0;
  bool to_the_end = false;  ///< as SearchRules has it
  /// Told before each problem: how many are done, of how many.
  std::function<void(const bench::BenchProblem& problem, std::size_t done, std::size_t all)> progress = {};
};

/// What was found for one problem and one rung.
struct Choice {
  bench::BenchProblem problem;
  const Rung* rung = nullptr;
  Alignment alignment = Alignment::both;
  std::string config;
  bench::Spread time;
  std::string runner_up;  ///< empty where no other ran to the end
  std::string models_choice;
  double gain = 1.0;  ///< time of the model's choice / time of the configuration chosen
};

/// One candidate on one problem, timed to the end or given up.
struct CandidateTime {
  bench::BenchProblem problem;
  const Rung* rung = nullptr;
  Alignment alignment = Alignment::both;
  std::string config;
  double predicted_cycles = 0.0;
  int models_rank = 0;  ///< among the configurations that can run: 1 is the model's choice
  bench::Spread time;
  int runs = 0;  ///< that count
  int rank = 0;  ///< among those timed: 1 is the quickest
};

struct Session {
  std::vector<Choice> choices;
  std::vector<CandidateTime> times;    ///< of every candidate that ran, those of one choice together
  std::vector<std::string> not_tuned;  ///< a line each: the problem, the rung, and why
  double seconds = 0.0;
};

/// Goes through the problems in their order until the budget is spent; what is left is in `not_tuned`.
Session tune(std::span<const bench::BenchProblem> problems, const SessionOptions& options, Workbench& workbench);

/// As tables keep it. The texts belong to `choice`.
TuningRecord record_of(const Choice& choice);

}  // namespace ladder::tune
