// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "device_facts.hpp"
#include "race_lane.hpp"
#include "statistics.hpp"

namespace ladder::bench {

namespace {

constexpr double graph_below_ms = 0.03;  // floors below this: the host's part of a launch is no longer hidden
constexpr int empty_samples = 15;
constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

std::string pci_bus_id() {
  const auto facts = current_device_facts();
  return facts ? facts->pci_bus_id : std::string();
}

bool has_work(const BenchProblem& problem) { return std::min({problem.m, problem.n, problem.k, problem.batch}) > 0; }

void set_peers(std::span<BenchRow> rows, const std::string& peer) {
  const auto is_peer = [&](const BenchRow& row) { return row.rung == "0" && row.name == peer && is_right(row); };
  const auto found = std::find_if(rows.begin(), rows.end(), is_peer);
  for (BenchRow& row : rows) {
    row.peer = peer;
    if (found != rows.end()) row.peer_time = found->time;
  }
}

}  // namespace

Race::Race(std::vector<Contender> contenders, MeasureOptions options)
    : options_(std::move(options)), contenders_(std::move(contenders)), sensors_(pci_bus_id()) {
  tensor_cores_take_part_ = std::ranges::any_of(contenders_, may_use_tensor_cores);
}

std::optional<double> Race::empty_sample_ms(bool graph) const {
  TimedWork nothing(timer_, [](Stream) -> const char* { return nullptr; }, {.cold = options_.cold, .graph = graph});
  std::vector<double> milliseconds;
  for (int i = 0; i < empty_samples; ++i) milliseconds.push_back(nothing.sample());
  if (!nothing.complaint().empty()) return std::nullopt;
  return spread_of(milliseconds).median;
}

Enqueue Race::work_of(const Contender& contender) const {
  return [&](Stream stream) { return contender.enqueue(matrices_.problem(), stream); };
}

TimingMode Race::mode_for(const BenchProblem& problem) const {
  const auto floor = floor_of(problem, {Pipe::fp32}, options_.ceilings);
  const bool graph = options_.sustain_s == 0.0 && floor && floor->ms < graph_below_ms;
  return {.cold = options_.cold, .graph = graph};
}

Race::Lane Race::lane_of(const Contender& contender, const BenchProblem& problem) const {
  BenchRow row;
  row.problem = problem;
  row.rung = contender.rung;
  row.name = contender.name;
  row.precision = contender.precision;
  row.data = data_name(options_.data);
  row.cache = options_.cold ? "cold" : "warm";
  row.timing = options_.sustain_s > 0.0 ? "sustained" : mode_for(problem).graph ? "graph" : "stream";
  row.time = {no_time, no_time, no_time};
  row.verdict = verdict_right;
  if (const auto floor = floor_of(problem, contender.multiplier, options_.ceilings)) {
    row.floor_ms = floor->ms;
    row.limit = floor->limit;
  }
  return {contender, std::move(row), nullptr, {}, {}, {}};
}

std::vector<BenchRow> Race::run(const std::vector<BenchProblem>& problems, const RaceProgress& progress) {
  const std::size_t per_problem = contenders_.size();
  const std::size_t rounds = tensor_cores_take_part_ ? 2 : 1;
  std::vector<BenchRow> rows;
  for (const BenchProblem& problem : problems) {
    for (const Contender& contender : contenders_) {
      rows.push_back(lane_of(contender, with_leading_dimensions(problem)).row);
      rows.back().verdict = "failed: its turn did not come";
    }
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < problems.size(); ++i) {
      progress(problems[i], round * problems.size() + i, rounds * problems.size());
      run_unit(with_leading_dimensions(problems[i]), round > 0, std::span(rows).subspan(i * per_problem, per_problem));
    }
  }
  for (std::size_t i = 0; i < problems.size(); ++i) {
    set_peers(std::span(rows).subspan(i * per_problem, per_problem), options_.peer);
  }
  return rows;
}

// Fills the rows of the contenders that are of this unit on this problem. Who that is depends on where the matrices
// lie, so that they are placed first.
void Race::run_unit(const BenchProblem& problem, bool tensor_cores, std::span<BenchRow> rows) {
  const std::string complaint =
      has_work(problem) ? matrices_.place(problem, options_.data) : "there is nothing to multiply";
  std::vector<Lane> lanes;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < contenders_.size(); ++i) {
    const Contender contender = complaint.empty() ? contender_on(contenders_[i], matrices_.problem()) : contenders_[i];
    if (on_tensor_cores(contender) != tensor_cores) continue;
    lanes.push_back(lane_of(contender, problem));
    places.push_back(i);
  }
  std::vector<Lane*> running;
  for (Lane& lane : lanes) {
    lane.fail(complaint);
    if (lane.runs()) check_call(lane);
    if (lane.runs()) running.push_back(&lane);
  }
  if (!running.empty()) time_unit(running, tensor_cores);
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i].conclude();
    rows[places[i]] = std::move(lanes[i].row);
  }
}

// One run on a C full of NaN.
void Race::check(Lane& lane, const Enqueue& work) {
  lane.fail(matrices_.poison());
  if (!lane.runs()) return;
  const char* complaint = work(timer_.stream());
  const Judgement judgement = matrices_.judge(lane.contender.accuracy);
  lane.note_error(judgement.worst_error);
  if (complaint != nullptr) {
    lane.fail(complaint);
  } else {
    lane.row.verdict = judgement.verdict;
  }
}

// One call, which must have been served by whom the row names.
void Race::check_call(Lane& lane) {
  const auto& served = lane.contender.calls_served;
  const std::uint64_t before = served ? served() : 0;
  check(lane, work_of(lane.contender));
  if (served && served() == before) lane.fail("the library did not serve the call with this rung");
}

// The same through the graph or the events that were timed.
void Race::check_timed(Lane& lane) {
  check(lane, [&](Stream) {
    lane.work->sample();
    return lane.work->complaint().empty() ? nullptr : lane.work->complaint().c_str();
  });
}

}  // namespace ladder::bench
