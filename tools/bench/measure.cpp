// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include "device_facts.hpp"
#include "statistics.hpp"
#include "sustain.hpp"

namespace ladder::bench {

namespace {

constexpr double wake_up_ms = 500.0;         // an idle card sleeps: its clocks need that long
constexpr double warm_up_ms = 10.0;          // of each contender, before its samples
constexpr double graph_below_ms = 0.03;      // floors below this: the host's part of a launch is no longer hidden
constexpr double wanted_samples_ms = 100.0;  // that the samples of a short contender take together
constexpr int least_samples = 15;
constexpr int most_samples = 51;
constexpr int host_samples = 15;
constexpr int sensor_readings = 5;  // of each contender: a reading is not free
constexpr double no_time = std::numeric_limits<double>::quiet_NaN();

std::string pci_bus_id() {
  const auto facts = current_device_facts();
  return facts ? facts->pci_bus_id : std::string();
}

std::optional<double> median_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return spread_of(values).median;
}

bool has_work(const BenchProblem& problem) { return std::min({problem.m, problem.n, problem.k, problem.batch}) > 0; }

void set_peers(std::vector<BenchRow>& rows, const std::string& peer) {
  const auto is_peer = [&](const BenchRow& row) { return row.rung == "0" && row.name == peer && is_right(row); };
  const auto found = std::find_if(rows.begin(), rows.end(), is_peer);
  for (BenchRow& row : rows) {
    row.peer = peer;
    if (found != rows.end()) row.peer_time = found->time;
  }
}

}  // namespace

struct Race::Lane {
  const Contender& contender;
  BenchRow row;
  std::unique_ptr<TimedWork> work;
  std::vector<double> milliseconds;
  std::vector<double> mhz;
  std::vector<double> watts;

  bool runs() const { return row.verdict == verdict_right; }

  // The first failure stays the verdict.
  void fail(const std::string& complaint) {
    if (complaint.empty() || !runs()) return;
    row.verdict = "failed: " + complaint;
  }

  // The larger one of all checks; NaN stays.
  void note_error(double error) {
    if (!row.worst_error || error > *row.worst_error || std::isnan(error)) row.worst_error = error;
  }

  void conclude() {
    if (!runs()) return;
    row.samples = static_cast<int>(milliseconds.size());
    row.time = spread_of(milliseconds);
    row.watts = median_of(watts);
    if (const auto clock = median_of(mhz)) row.sm_mhz = static_cast<int>(std::lround(*clock));
  }
};

Race::Race(std::vector<Contender> contenders, MeasureOptions options)
    : options_(std::move(options)), contenders_(std::move(contenders)), sensors_(pci_bus_id()) {}

std::optional<double> Race::empty_sample_ms(bool graph) const {
  TimedWork nothing(timer_, [](Stream) -> const char* { return nullptr; }, {.cold = options_.cold, .graph = graph});
  std::vector<double> milliseconds;
  for (int i = 0; i < least_samples; ++i) milliseconds.push_back(nothing.sample());
  if (!nothing.complaint().empty()) return std::nullopt;
  return spread_of(milliseconds).median;
}

Enqueue Race::work_of(const Contender& contender) const {
  return [&](Stream stream) { return contender.enqueue(matrices_.problem(), stream); };
}

TimingMode Race::mode_for(const BenchProblem& problem) const {
  const auto floor = floor_of(problem, Pipe::fp32, options_.ceilings);
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
  if (const auto floor = floor_of(problem, contender.pipe, options_.ceilings)) {
    row.floor_ms = floor->ms;
    row.limit = floor->limit;
  }
  return {contender, std::move(row), nullptr, {}, {}, {}};
}

std::vector<BenchRow> Race::run(const BenchProblem& given) {
  const BenchProblem problem = with_leading_dimensions(given);
  std::vector<Lane> lanes;
  for (const Contender& contender : contenders_) lanes.push_back(lane_of(contender, problem));
  const std::string complaint =
      has_work(problem) ? matrices_.place(problem, options_.data) : "there is nothing to multiply";
  for (Lane& lane : lanes) {
    lane.fail(complaint);
    if (lane.runs()) check_call(lane);
  }
  for (const bool tensor_cores : {false, true}) {
    std::vector<Lane*> unit;
    for (Lane& lane : lanes) {
      if (lane.runs() && on_tensor_cores(lane.contender) == tensor_cores) unit.push_back(&lane);
    }
    if (!unit.empty()) time_unit(unit, tensor_cores);
  }
  std::vector<BenchRow> rows;
  for (Lane& lane : lanes) {
    lane.conclude();
    rows.push_back(std::move(lane.row));
  }
  set_peers(rows, options_.peer);
  return rows;
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

void Race::time_unit(const std::vector<Lane*>& lanes, bool tensor_cores) {
  warm_up(lanes, tensor_cores);
  const TimingMode mode = mode_for(lanes.front()->row.problem);
  for (Lane* lane : lanes) {
    lane->work = std::make_unique<TimedWork>(timer_, work_of(lane->contender), mode);
    lane->fail(lane->work->complaint());
  }
  options_.sustain_s > 0.0 ? sustain_each(lanes) : take_samples(lanes);
  for (Lane* lane : lanes) {
    if (lane->runs()) check_timed(*lane);
    if (lane->runs()) time_calls(*lane);
    lane->work.reset();
  }
}

void Race::warm_up(const std::vector<Lane*>& lanes, bool tensor_cores) {
  const bool asleep = !last_on_tensor_cores_;
  if (!asleep && *last_on_tensor_cores_ != tensor_cores) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options_.pause_s));
  }
  last_on_tensor_cores_ = tensor_cores;
  for (Lane* lane : lanes) {
    const bool wakes = asleep && lane == lanes.front();
    lane->fail(timer_.run_for(work_of(lane->contender), wakes ? wake_up_ms : warm_up_ms));
  }
}

// Run by run in turns, each round begun by another contender.
void Race::take_samples(const std::vector<Lane*>& lanes) {
  double slowest = 0.0;
  for (const Lane* lane : lanes) slowest = std::max(slowest, lane->work->estimate());
  const double enough = slowest > 0.0 ? std::ceil(wanted_samples_ms / slowest) : most_samples;
  const int rounds = options_.samples > 0 ? options_.samples
                                          : static_cast<int>(std::clamp<double>(enough, least_samples, most_samples));
  const int sensor_stride = std::max(1, rounds / sensor_readings);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = *lanes[(i + static_cast<std::size_t>(round)) % lanes.size()];
      if (lane.runs()) take_sample(lane, round % sensor_stride == 0);
    }
  }
}

void Race::take_sample(Lane& lane, bool with_sensors) {
  lane.work->begin();
  const GpuReading reading = with_sensors ? sensors_.read() : GpuReading{};
  const double milliseconds = lane.work->end();
  lane.fail(lane.work->complaint());
  if (!lane.runs()) return;
  lane.milliseconds.push_back(milliseconds);
  if (reading.sm_mhz) lane.mhz.push_back(*reading.sm_mhz);
  if (reading.watts) lane.watts.push_back(*reading.watts);
  throttle_seen_ |= reading.throttle_reasons.value_or(0);
}

// One after the other, for as long as each takes; a pause before each, so that all begin alike.
void Race::sustain_each(const std::vector<Lane*>& lanes) {
  for (Lane* lane : lanes) {
    if (!lane->runs()) continue;
    std::this_thread::sleep_for(std::chrono::duration<double>(options_.pause_s));
    Sustained sustained = sustain(timer_, work_of(lane->contender), options_.sustain_s, sensors_);
    lane->fail(sustained.complaint);
    lane->milliseconds = std::move(sustained.milliseconds);
    lane->mhz = std::move(sustained.mhz);
    lane->watts = std::move(sustained.watts);
    throttle_seen_ |= sustained.throttle_reasons;
  }
}

void Race::time_calls(Lane& lane) const {
  std::vector<double> microseconds;
  std::string complaint;
  const Enqueue work = work_of(lane.contender);
  if (options_.calls > 0) microseconds = timer_.host_microseconds_in_a_row(work, options_.calls, complaint);
  for (int i = 0; i < host_samples && options_.calls == 0 && complaint.empty(); ++i) {
    microseconds.push_back(timer_.host_microseconds(work, complaint));
  }
  lane.fail(complaint);
  if (!lane.runs()) return;
  lane.row.host_us = median_of(microseconds);
  lane.row.host_us_least = std::ranges::min(microseconds);
}

}  // namespace ladder::bench
