// SPDX-License-Identifier: MIT
#include "host_door.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "bench/statistics.hpp"
#include "host_door_lineup.hpp"
#include "host_race.hpp"
#include "rung.hpp"

namespace ladder::bench {

namespace {

constexpr double ms_per_s = 1000.0;
constexpr double us_per_ms = 1000.0;

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

BenchRow row_of(const HostRun& run, const HostTask& task, const HostDoorOptions& options) {
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
void add_rows(const std::vector<HostRun>& runs, std::size_t ours, const HostTask& task, const HostDoorOptions& options,
              std::vector<BenchRow>& rows) {
  const std::size_t first = rows.size();
  for (const HostRun& run : runs) rows.push_back(row_of(run, task, options));
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
  void add(const std::vector<HostRun>& runs) {
    for (const HostRun& run : runs) {
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

/// Threads that are awake here and in the processes of contenders that have one.
int awake_threads(const std::vector<HostContender*>& contenders) {
  int count = runnable_threads(getpid());
  for (const HostContender* contender : contenders) {
    if (const auto process = contender->own_process()) count += runnable_threads(*process);
  }
  return count;
}

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
  Rests rests(rest_means([&] { return awake_threads(contenders); }));
  for (std::size_t i = 0; i < options.problems.size(); ++i) {
    const HostTask task{with_leading_dimensions(options.problems[i]), options.data, options.seed};
    if (options.progress) options.progress(to_text(task.problem), i, options.problems.size());
    const auto runs = race_host_doors(contenders, task, options.samples, rests);
    add_rows(runs, lineup->ours.size(), task, options, results.rows);
    first_calls.add(runs);
  }
  if (options.progress) options.progress({}, options.problems.size(), options.problems.size());
  first_calls.tell(contenders, results.conditions);
  results.conditions.emplace_back("rests", rests.text());
  return results;
}

}  // namespace ladder::bench
