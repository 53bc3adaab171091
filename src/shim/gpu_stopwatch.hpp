// SPDX-License-Identifier: MIT
// How long calls take on their GPU: an event before and one after the work of each, looked at later, when the GPU has
// passed both. Nobody waits for it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "gpu_events.hpp"

namespace ladder::shim {

/// Where the times of laps are added up.
struct GpuTally {
  std::atomic<std::uint64_t> laps{0};
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<double> flops{0};

  void add(double lap_nanoseconds, double lap_flops);
  void reset();
};

/// Keeps the events. A context's are made as they are needed, up to as many as ever were under way at once, and used
/// again. Any thread; the tallies must live as long as the stopwatch.
class GpuStopwatch {
 public:
  /// Laps of one context that have not been seen to end. Twice what a stream takes before a launch waits for the GPU:
  /// with more streams than that, some laps are not timed.
  static constexpr int most_under_way = 2048;

  explicit GpuStopwatch(GpuEvents& events) : events_(events) {}
  ~GpuStopwatch();

  /// Adds up the laps that have ended; goes on until all have, or for that long.
  void collect(std::chrono::milliseconds patience);

  /// Laps under way will not be added up.
  void forget();

  /// In a forked child, which cannot use its parent's GPU: from now on no lap is timed. No lock is touched.
  void abandon_in_child();

 private:
  friend class GpuLap;
  struct Lap;
  struct Pool;

  Lap* begin(Stream stream, bool& captured);
  void record_again(Lap*& lap, Stream stream);
  void give_back(Lap* lap);
  void hand_in(Lap* lap, GpuTally& tally, double flops);

  Pool* pool_of(int context);
  Lap* take(Pool& pool);
  void collect_some(Pool& pool, int laps);
  bool settle(Lap& lap);
  void drop_events(Lap& lap);

  GpuEvents& events_;
  std::array<std::atomic<Pool*>, most_contexts> pools_{};
  std::atomic<bool> used_{false};
  std::atomic<bool> abandoned_{false};
};

/// One stretch of a stream's work. Where it is never handed in, its events go back.
class GpuLap {
 public:
  /// Null: times nothing.
  explicit GpuLap(GpuStopwatch* stopwatch) : stopwatch_(stopwatch) {}
  ~GpuLap();
  GpuLap(const GpuLap&) = delete;
  GpuLap& operator=(const GpuLap&) = delete;

  /// What is enqueued on the stream from now on counts. A second start() forgets the first.
  void start(Stream stream);
  /// What is enqueued from now on counts no more.
  void stop();
  /// Adds the time to `tally` once the GPU has got there. Without a start() and a stop() that went well, nothing.
  void hand_in(GpuTally& tally, double flops);

  /// The work has become part of a graph: it has no time of its own.
  bool captured() const { return captured_; }

 private:
  GpuStopwatch* stopwatch_;
  GpuStopwatch::Lap* lap_ = nullptr;
  Stream stream_ = nullptr;
  bool captured_ = false;
  bool stopped_ = false;
};

/// The process's own, on gpu_events().
GpuStopwatch& gpu_stopwatch();

}  // namespace ladder::shim
