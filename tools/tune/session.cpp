// SPDX-License-Identifier: MIT
#include "session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "auto_rung.hpp"

namespace ladder::tune {

namespace {

std::vector<double> predictions(const RungKernel& kernel, const GemmProblem& problem, int multiprocessors) {
  std::vector<double> cycles;
  for (const KernelConfig& config : kernel.configs) {
    cycles.push_back(config.predicted_cycles(problem, multiprocessors));
  }
  return cycles;
}

std::string line_of(const bench::BenchProblem& problem, const Rung& rung, std::string_view why) {
  return fmt::format("{}, {}: {}", bench::to_text(problem), rung.name, why);
}

Choice choice_of(const bench::BenchProblem& problem, const Rung& rung, const RungKernel& kernel,
                 const SearchResult& found, Alignment alignment) {
  const auto name_of = [&kernel](int config) { return kernel.configs[static_cast<std::size_t>(config)].name; };
  const TimedConfig& best = found.timed.front();
  Choice choice{.problem = problem,
                .rung = &rung,
                .alignment = alignment,
                .config = name_of(best.config),
                .time = best.time,
                .runner_up = found.timed.size() > 1 ? name_of(found.timed[1].config) : "",
                .models_choice = name_of(found.models_choice)};
  const auto models = std::ranges::find(found.timed, found.models_choice, &TimedConfig::config);
  if (models != found.timed.end()) choice.gain = models->time.median / best.time.median;
  return choice;
}

/// 1 for the least of them; of equals the earlier is before.
int rank_of(int config, std::span<const double> predicted) {
  const double own = predicted[static_cast<std::size_t>(config)];
  const auto before = predicted.first(static_cast<std::size_t>(config));
  const auto after = predicted.subspan(static_cast<std::size_t>(config));
  return 1 + static_cast<int>(std::ranges::count_if(before, [own](double cycles) { return cycles <= own; }) +
                              std::ranges::count_if(after, [own](double cycles) { return cycles < own; }));
}

void note_times(const Choice& choice, const RungKernel& kernel, const SearchResult& found,
                std::span<const double> predicted, std::vector<CandidateTime>& times) {
  int rank = 0;
  for (const TimedConfig& timed : found.timed) {
    const auto index = static_cast<std::size_t>(timed.config);
    times.push_back({.problem = choice.problem,
                     .rung = choice.rung,
                     .alignment = choice.alignment,
                     .config = kernel.configs[index].name,
                     .predicted_cycles = predicted[index],
                     .models_rank = rank_of(timed.config, predicted),
                     .time = timed.time,
                     .runs = timed.runs,
                     .rank = ++rank});
  }
}

}  // namespace

std::vector<const Rung*> tunable_rungs() {
  std::vector<const Rung*> tunable;
  const auto add = [&tunable](const Rung& rung) {
    const RungKernel* kernel = foremost_kernel(rung);
    if (kernel != nullptr && kernel->configs.size() > 1) tunable.push_back(&rung);
  };
  for (const Rung& rung : rungs()) add(rung);
  add(auto_entry());  // last, so that its rungs have been loaded and run
  return tunable;
}

Session tune(std::span<const bench::BenchProblem> problems, const SessionOptions& options, Workbench& workbench) {
  Session session;
  const double start_s = workbench.now_s();
  const auto out_of_time = [&] { return workbench.now_s() - start_s >= options.budget_s; };
  std::size_t done = 0;
  for (const bench::BenchProblem& problem : problems) {
    if (options.progress) options.progress(problem, done, problems.size());
    ++done;
    const bool too_late = out_of_time();
    const std::string complaint = too_late ? "the budget was spent" : workbench.place(problem);
    for (const Rung* rung : options.rungs) {
      const RungKernel* kernel = workbench.kernel_of(*rung);
      if (!complaint.empty() || kernel == nullptr || kernel->configs.empty()) {
        session.not_tuned.push_back(line_of(problem, *rung, complaint.empty() ? "nothing to choose" : complaint));
        continue;
      }
      const GemmProblem& placed = workbench.problem();
      const auto predicted = predictions(*kernel, placed, workbench.multiprocessors());
      const auto stopwatch = workbench.stopwatch(*kernel);
      const SearchResult found =
          search(predicted, *stopwatch,
                 {.candidates = options.candidates, .to_the_end = options.to_the_end, .out_of_time = out_of_time});
      if (found.timed.empty()) {
        session.not_tuned.push_back(line_of(problem, *rung, "no configuration ran"));
      } else {
        session.choices.push_back(choice_of(problem, *rung, *kernel, found, alignment_of(placed)));
        note_times(session.choices.back(), *kernel, found, predicted, session.times);
      }
    }
  }
  session.seconds = workbench.now_s() - start_s;
  return session;
}

TuningRecord record_of(const Choice& choice) {
  const bench::BenchProblem& p = choice.problem;
  return {.rung = choice.rung->id,
          .op_a = p.op_a,
          .op_b = p.op_b,
          .alignment = choice.alignment,
          .m = p.m,
          .n = p.n,
          .k = p.k,
          .batch = p.batch,
          .config = choice.config,
          .ms = choice.time.median,
          .runner_up = choice.runner_up};
}

}  // namespace ladder::tune
