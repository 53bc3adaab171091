// SPDX-License-Identifier: MIT
#include "host_race.hpp"

#include <algorithm>
#include <exception>

#include "bench/statistics.hpp"
#include "host_door_function.hpp"

namespace ladder::bench {

namespace {

constexpr int few_samples = 3;
constexpr double long_call_ms = 2000.0;  // that few samples are taken of
constexpr double short_call_ms = 10.0;   // before which an untimed one warms caches and threads
constexpr double rested_call_ms = 1.0;   // of a CPU BLAS, from which on waking its threads is little beside a call

std::vector<HostRun> runs_of(const std::vector<HostContender*>& contenders, const std::string& complaint = {}) {
  std::vector<HostRun> runs;
  runs.reserve(contenders.size());
  for (HostContender* contender : contenders) runs.emplace_back(contender, complaint);
  return runs;
}

void take_judgement(HostRun& run, const HostAnswer& answer) {
  run.complaint = answer.complaint;
  if (!answer.judgement || !run.judgement.right()) return;
  const double worst = std::max(run.judgement.worst_error, answer.judgement->worst_error);
  run.judgement = *answer.judgement;
  if (run.judgement.right()) run.judgement.worst_error = worst;
}

void start(HostRun& run, const HostTask& task, HostMatrices& matrices, Rests& rests) {
  run.complaint = run.contender->begin(task, matrices);
  if (!run.complaint.empty()) return;
  rests.rest();
  const HostAnswer answer = run.contender->checked_call();
  take_judgement(run, answer);
  run.first_ms = answer.ms;
}

/// Whether a CPU BLAS serves it by calls so long that rests do it no wrong. The first call of a process creates
/// threads, so that a second one decides where that may make the difference.
bool is_rested_for(HostRun& run) {
  if (!run.complaint.empty() || !run.contender->on_cpu_blas()) return false;
  double ms = run.first_ms;
  if (ms >= rested_call_ms && ms < short_call_ms) {
    const HostAnswer second = run.contender->call();
    run.complaint = second.complaint;
    ms = second.ms;
  }
  return run.complaint.empty() && ms >= rested_call_ms;
}

bool wants_more(const HostRun& run, int samples) {
  const auto taken = static_cast<int>(run.ms.size());
  if (!run.complaint.empty() || taken >= samples) return false;
  return taken < few_samples || spread_of(run.ms).median <= long_call_ms;
}

void take_sample(HostRun& run) {
  const double expected_ms = run.ms.empty() ? run.first_ms : run.ms.back();
  HostAnswer answer;
  if (expected_ms < short_call_ms) answer = run.contender->call();
  if (answer.complaint.empty()) answer = run.contender->call();
  run.complaint = answer.complaint;
  if (run.complaint.empty()) run.ms.push_back(answer.ms);
}

std::vector<HostRun> race(const std::vector<HostContender*>& contenders, const HostTask& task, int samples,
                          Rests& rests) {
  std::vector<HostRun> runs = runs_of(contenders);
  HostMatrices matrices(task);
  for (HostRun& run : runs) start(run, task, matrices, rests);
  bool rested = false;
  for (HostRun& run : runs) rested = is_rested_for(run) || rested;
  bool more = true;
  for (std::size_t round = 0; more; ++round) {
    more = false;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      HostRun& run = runs[(round + i) % runs.size()];
      if (!wants_more(run, samples)) continue;
      if (rested) rests.rest();
      take_sample(run);
      more = true;
    }
  }
  for (HostRun& run : runs) {
    if (run.complaint.empty()) take_judgement(run, run.contender->checked_call());
  }
  return runs;
}

}  // namespace

std::vector<HostRun> race_host_doors(const std::vector<HostContender*>& contenders, const HostTask& task, int samples,
                                     Rests& rests) {
  std::string complaint = what_is_illegal(task.problem);
  if (complaint.empty() && !fits_host_door(task.problem)) complaint = "the door's integers are too small for it";
  try {
    if (complaint.empty()) return race(contenders, task, samples, rests);
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  return runs_of(contenders, complaint);
}

}  // namespace ladder::bench
