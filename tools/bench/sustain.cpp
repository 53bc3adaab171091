// SPDX-License-Identifier: MIT
#include "sustain.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "cuda_owned.hpp"
#include "host_clock.hpp"

namespace ladder::bench {

namespace {

constexpr int runs_in_flight = 3;      // two that wait while one works: the GPU never idles
constexpr double least_run_ms = 10.0;  // of one or several calls: a look at the sensors takes a millisecond or two
constexpr double settling_share = 1.0 / 3.0;
constexpr double ms_per_s = 1000.0;
constexpr double us_per_ms = 1000.0;

/// Runs of `repeats` calls each, an event after each run; the newest few are in flight.
class Runs {
 public:
  Runs(const GpuTimer& timer, const Enqueue& work, int repeats) : timer_(timer), work_(work), repeats_(repeats) {
    for (OwnedEvent& event : ends_) {
      cudaEvent_t made = nullptr;
      note(cudaEventCreate(&made));
      event.reset(made);
    }
  }

  void enqueue() {
    for (int i = 0; i < repeats_ && complaint_.empty(); ++i) {
      if (const char* complaint = work_(timer_.stream())) complaint_ = complaint;
    }
    if (complaint_.empty()) note(cudaEventRecord(end_of(enqueued_), static_cast<cudaStream_t>(timer_.stream())));
    ++enqueued_;
  }

  /// Waits for the oldest run in flight. Milliseconds of one call, from the end of the run before; 0 for the first.
  double finish() {
    float ms = 0.0f;
    if (complaint_.empty()) note(cudaEventSynchronize(end_of(finished_)));
    if (complaint_.empty() && finished_ > 0) note(cudaEventElapsedTime(&ms, end_of(finished_ - 1), end_of(finished_)));
    ++finished_;
    return ms / repeats_;
  }

  const std::string& complaint() const { return complaint_; }

 private:
  cudaEvent_t end_of(int run) const { return ends_[static_cast<std::size_t>(run) % ends_.size()].get(); }
  void note(cudaError_t status) {
    if (status != cudaSuccess && complaint_.empty()) complaint_ = cudaGetErrorString(status);
  }

  const GpuTimer& timer_;
  const Enqueue& work_;
  int repeats_;
  std::array<OwnedEvent, runs_in_flight + 1> ends_;  // and the one before the oldest in flight
  int enqueued_ = 0;
  int finished_ = 0;
  std::string complaint_;
};

void read_sensors(const GpuSensors& sensors, Sustained& sustained) {
  const GpuReading reading = sensors.read();
  if (reading.sm_mhz) sustained.mhz.push_back(*reading.sm_mhz);
  if (reading.watts) sustained.watts.push_back(*reading.watts);
  sustained.throttle_reasons |= reading.throttle_reasons.value_or(0);
}

/// Calls that take a run's time; a complaint where one fails.
int repeats_of(const GpuTimer& timer, const Enqueue& work, std::string& complaint) {
  TimedWork timed(timer, work, {.cold = false, .graph = false});
  const double ms = timed.sample();
  complaint = timed.complaint();
  constexpr double most_repeats = 1000.0;
  return static_cast<int>(
      std::clamp(std::ceil(least_run_ms / std::max(ms, least_run_ms / most_repeats)), 1.0, most_repeats));
}

}  // namespace

Sustained sustain(const GpuTimer& timer, const Enqueue& work, double seconds, const GpuSensors& sensors) {
  Sustained sustained;
  const int repeats = repeats_of(timer, work, sustained.complaint);
  if (!sustained.complaint.empty()) return sustained;
  Runs runs(timer, work, repeats);
  for (int i = 0; i < runs_in_flight; ++i) runs.enqueue();
  const HostTimer all;
  double now_ms = 0.0;
  do {
    const double ms = runs.finish();
    runs.enqueue();
    now_ms = all.microseconds() / us_per_ms;
    if (now_ms < settling_share * seconds * ms_per_s) continue;
    if (ms > 0.0) sustained.milliseconds.push_back(ms);
    read_sensors(sensors, sustained);
  } while (runs.complaint().empty() && (now_ms < seconds * ms_per_s || sustained.milliseconds.empty()));
  for (int i = 0; i < runs_in_flight; ++i) runs.finish();
  sustained.complaint = runs.complaint();
  return sustained;
}

}  // namespace ladder::bench
