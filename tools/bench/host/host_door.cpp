// SPDX-License-Identifier: MIT
#include "host_door.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>

#include "bench/statistics.hpp"
#include "host_door_function.hpp"
#include "host_door_lineup.hpp"
#include "rung.hpp"

namespace ladder::bench {

namespace {

constexpr int few_samples = 3;
constexpr double long_call_ms = 2000.0;  // that few samples are taken of
constexpr double short_call_ms = 10.0;   // before which an untimed one warms caches and threads
constexpr double ms_per_s = 1000.0;
constexpr double us_per_ms = 1000.0;

/// One contender on one problem.
struct Run {
  explicit Run(HostContender* who, std::string why_not = {}) : contender(who), complaint(std::move(why_not)) {}

  HostContender* contender;
  std::string complaint;  ///< why it is out of the race
  double first_ms = 0.0;
  std::vector<double> ms;
  Judgement judgement{std::string(verdict_right), 0.0};
};

// -- 1. The race ---------------------------------------------------------------------------------------------

void take_judgement(Run& run, const HostAnswer& answer) {
  run.complaint = answer.complaint;
  if (!answer.judgement || !run.judgement.right()) return;
  const double worst = std::max(run.judgement.worst_error, answer.judgement->worst_error);
  run.judgement = *answer.judgement;
  if (run.judgement.right()) run.judgement.worst_error = worst;
}

void start(Run& run, const HostTask& task, HostMatrices& matrices) {
  run.complaint = run.contender->begin(task, matrices);
  if (!run.complaint.empty()) return;
  const HostAnswer answer = run.contender->checked_call();
  take_judgement(run, answer);
  run.first_ms = answer.ms;
}

bool wants_more(const Run& run, int samples) {
  const auto taken = static_cast<int>(run.ms.size());
  if (!run.complaint.empty() || taken >= samples) return false;
  return taken < few_samples || spread_of(run.ms).median <= long_call_ms;
}

void take_sample(Run& run) {
  const double expected_ms = run.ms.empty() ? run.first_ms : run.ms.back();
  HostAnswer answer;
  if (expected_ms < short_call_ms) answer = run.contender->call();
  if (answer.complaint.empty()) answer = run.contender->call();
  run.complaint = answer.complaint;
  if (run.complaint.empty()) run.ms.push_back(answer.ms);
}

std::vector<Run> race(const std::vector<HostContender*>& contenders, const HostTask& task, int samples) {
  std::vector<Run> runs;
  for (HostContender* contender : contenders) runs.emplace_back(contender);
  HostMatrices matrices(task);
  for (Run& run : runs) start(run, task, matrices);
  bool more = true;
  for (std::size_t round = 0; more; ++round) {
    more = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Run& run = runs[(round + i) % runs.size()];
      if (!wants_more(run, samples)) continue;
      take_sample(run);
      more = true;
    }
  }
  for (Run& run : runs) {
    if (run.complaint.empty()) take_judgement(run, run.contender->checked_call());
  }
  return runs;
}

std::vector<Run> race_or_complaint(const std::vector<HostContender*>& contenders, const HostTask& task, int samples) {
  std::string complaint = what_is_illegal(task.problem);
  if (complaint.empty() && !fits_host_door(task.problem)) complaint = "the door's integers are too small for it";
  try {
    if (complaint.empty()) return race(contenders, task, samples);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  std::vector<Run> runs;
  for (HostContender* contender : contenders) runs.emplace_back(contender, complaint);
  return runs;
}

// -- 2. What came of it ----------------------------------------------------------------------------------------

/// Flops at the FMA ceiling, or the bytes of the busier direction of the bus: it carries both at a time.
std::optional<Floor> host_floor(const BenchProblem& p, const Ceilings& ceilings) {
  if (!ceilings.fma_tflops || !ceilings.to_device_pinned_gbs || !ceilings.to_host_pinned_gbs) return std::nullopt;
  constexpr double per_tera = 1e12, per_giga = 1e9;
  const auto elements_c = static_cast<double>(p.batch) * static_cast<double>(p.m) * static_cast<double>(p.n);
  const double bytes_down = elements_c * sizeof(float);
  const double bytes_up = compulsory_bytes(p) - bytes_down;
  const double flops_ms = flops(p) / (*ceilings.fma_tflops * per_tera) * ms_per_s;
  const double bytes_ms = std::max(bytes_up / (*ceilings.to_device_pinned_gbs * per_giga),
                                   bytes_down / (*ceilings.to_host_pinned_gbs * per_giga)) *
                          ms_per_s;
  return flops_ms >= bytes_ms ? Floor{flops_ms, "flops"} : Floor{bytes_ms, "bytes"};
}

BenchRow row_of(const Run& run, const HostTask& task, const HostDoorOptions& options) {
  BenchRow row;
  row.problem = task.problem;
  row.rung = run.contender->rung();
  row.name = run.contender->name();
  const Rung* rung = find_rung(row.rung);
  row.precision = precision_name(rung != nullptr ? rung->precision : Precision::fp32);
  row.data = data_name(task.data);
  row.cache = "warm";
  row.timing = "host";
  row.verdict = run.complaint.empty() ? run.judgement.verdict : run.complaint;
  if (run.complaint.empty()) row.worst_error = run.judgement.worst_error;
  row.time = spread_of({});
  if (row.verdict == verdict_right) {
    row.samples = static_cast<int>(run.ms.size());
    row.time = spread_of(run.ms);
    row.host_us = row.time.median * us_per_ms;
  }
  const auto floor = run.contender->on_gpu() ? host_floor(task.problem, options.ceilings) : std::nullopt;
  if (floor) {
    row.floor_ms = floor->ms;
    row.limit = floor->limit;
  }
  return row;
}

/// Rows of one problem, ours first; the peers' come last and have no ratio themselves.
void add_rows(const std::vector<Run>& runs, std::size_t ours, const HostTask& task, const HostDoorOptions& options,
              std::vector<BenchRow>& rows) {
  const std::size_t first = rows.size();
  for (const Run& run : runs) rows.push_back(row_of(run, task, options));
  if (runs.size() == ours) return;
  const BenchRow peer = rows[first + ours];
  for (std::size_t i = first; i < first + ours; ++i) {
    rows[i].peer = peer.name;
    if (is_right(peer)) rows[i].peer_time = peer.time;
  }
}

/// "openblas", "rung 9".
std::string label_of(const HostContender& contender) {
  return contender.rung() == peers_rung ? contender.name() : "rung " + contender.rung();
}

/// The first call of a contender on each problem, in the order of the problems.
class FirstCalls {
 public:
  void add(const std::vector<Run>& runs) {
    for (const Run& run : runs) {
      std::string& text = texts_[run.contender];
      text += text.empty() ? "" : " ";
      text += run.first_ms > 0.0 ? fmt::format("{:.4g}", run.first_ms) : "-";
    }
  }

  void tell(const std::vector<HostContender*>& contenders, Conditions& conditions) const {
    for (HostContender* contender : contenders) {
      const auto text = texts_.find(contender);
      if (text == texts_.end()) continue;
      conditions.emplace_back("first call " + label_of(*contender), text->second + " ms");
    }
  }

 private:
  std::map<const HostContender*, std::string> texts_;
};

}  // namespace

std::optional<Results> host_door_results(const HostDoorOptions& options, std::string& complaint) {
  auto lineup = line_up(options, complaint);
  if (!lineup) return std::nullopt;
  std::vector<HostContender*> contenders;
  for (const auto* group : {&lineup->ours, &lineup->peers}) {
    for (const auto& contender : *group) contenders.push_back(contender.get());
  }
  Results results;
  results.conditions = lineup->conditions;
  FirstCalls first_calls;
  for (std::size_t i = 0; i < options.problems.size(); ++i) {
    const HostTask task{with_leading_dimensions(options.problems[i]), options.data, options.seed};
    if (options.progress) options.progress(to_text(task.problem), i, options.problems.size());
    const auto runs = race_or_complaint(contenders, task, options.samples);
    add_rows(runs, lineup->ours.size(), task, options, results.rows);
    first_calls.add(runs);
  }
  if (options.progress) options.progress({}, options.problems.size(), options.problems.size());
  first_calls.tell(contenders, results.conditions);
  return results;
}

}  // namespace ladder::bench
