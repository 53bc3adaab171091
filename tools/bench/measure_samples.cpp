// SPDX-License-Identifier: MIT
// How the contenders of one unit of the GPU are timed: in turns, or each by itself without a pause.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "measure.hpp"
#include "race_lane.hpp"
#include "sustain.hpp"

namespace ladder::bench {

namespace {

constexpr double wake_up_ms = 500.0;         // an idle card sleeps: its clocks need that long
constexpr double warm_up_ms = 10.0;          // of each contender, before its samples
constexpr double wanted_samples_ms = 100.0;  // that the samples of a short contender take together
constexpr int least_samples = 15;
constexpr int most_samples = 51;
constexpr int host_samples = 15;
constexpr int least_host_samples = 3;  // of long calls: the GPU has to come to an end after each
constexpr double least_ms = 1e-4;      // that a run may be said to take, to divide by
constexpr int sensor_readings = 5;     // of each contender: a reading is not free
constexpr double most_rest_ms = 20.0;  // after a sample, where tensor cores take part
constexpr double rest_share = 2.0;     // of the sample's own time
constexpr double long_ms = 1.0;        // samples that heat the card for the problem after them

}  // namespace

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
  if (!asleep && (*last_on_tensor_cores_ != tensor_cores || (tensor_cores_take_part_ && was_long_))) {
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
  was_long_ = slowest >= long_ms;
  const double enough = slowest > 0.0 ? std::ceil(wanted_samples_ms / slowest) : most_samples;
  const int rounds = options_.samples > 0 ? options_.samples
                                          : static_cast<int>(std::clamp<double>(enough, least_samples, most_samples));
  const int sensor_stride = std::max(1, rounds / sensor_readings);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      Lane& lane = *lanes[(i + static_cast<std::size_t>(round)) % lanes.size()];
      if (!lane.runs()) continue;
      take_sample(lane, round % sensor_stride == 0);
      rest(lane.milliseconds.empty() ? 0.0 : lane.milliseconds.back());
    }
  }
}

// So that the next sample meets a card that has not come to its power limit, whoever was before it.
void Race::rest(double worked_ms) const {
  if (!tensor_cores_take_part_) return;
  std::this_thread::sleep_for(
      std::chrono::duration<double, std::milli>(std::min(rest_share * worked_ms, most_rest_ms)));
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
  const double affordable = wanted_samples_ms / std::max(lane.work->estimate(), least_ms);
  const int calls = static_cast<int>(std::clamp<double>(affordable, least_host_samples, host_samples));
  for (int i = 0; i < calls && options_.calls == 0 && complaint.empty(); ++i) {
    microseconds.push_back(timer_.host_microseconds(work, complaint));
  }
  lane.fail(complaint);
  if (!lane.runs()) return;
  lane.row.host_us = median_of(microseconds);
  lane.row.host_us_least = std::ranges::min(microseconds);
}

}  // namespace ladder::bench
