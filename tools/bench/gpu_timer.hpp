// SPDX-License-Identifier: MIT
// The stopwatch: how long a piece of GPU work takes, one sample at a time, so that several can take turns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "rung.hpp"

namespace ladder::bench {

/// Enqueues the work to be timed on the stream, once, and returns without waiting. Null, or what went wrong (a text
/// that lives on). It must bear being captured into a CUDA graph after a first call.
using Enqueue = std::function<const char*(Stream)>;

/// Null, or the text of a rung's failed launch.
const char* launch_complaint(LaunchStatus status);

/// What is true at the start of each sample, and how the work gets to the GPU.
struct TimingMode {
  bool cold = true;    ///< a buffer of several times the L2 was written just before; else the same work ran just before
  bool graph = false;  ///< replayed as a CUDA graph, for work of a few microseconds; else enqueued between two events
};

/// A stream of its own on the current device and the buffer that pushes everything else out of the L2. One thread.
class GpuTimer {
 public:
  GpuTimer();
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  /// Empty, or why nothing can be timed here.
  const std::string& complaint() const { return complaint_; }

  Stream stream() const { return stream_; }

  /// Keeps the GPU busy with the work for at least that long and waits; at least once. Empty, or what went wrong.
  std::string run_for(const Enqueue& work, double milliseconds) const;

  /// Microseconds of host time that one call of `work` takes while the stream is idle; waits before and after.
  double host_microseconds(const Enqueue& work, std::string& complaint) const;

  /// Enqueues the writing of the flush buffer. Null, or what went wrong.
  const char* flush_l2() const;

 private:
  Stream stream_ = nullptr;
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
  std::string complaint_;
};

/// One piece of work, ready to be sampled: run once, measured once, its graph built. The timer must outlive it.
class TimedWork {
 public:
  TimedWork(const GpuTimer& timer, Enqueue work, TimingMode mode);
  ~TimedWork();
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

  /// Empty, or what went wrong first, here or in sample(); there are no more samples then.
  const std::string& complaint() const { return complaint_; }

  /// Milliseconds of one run on the GPU, from CUDA events around it; waits for it. Warm graphs run the work several
  /// times in a row and give the mean. Meaningless once there is a complaint.
  double sample();

  /// The first, rough time in milliseconds: for deciding how many samples to take.
  double estimate() const { return estimate_; }

 private:
  const char* enqueue_sample(unsigned event_flags);
  void note(const char* complaint);
  void capture();
  double elapsed();

  const GpuTimer& timer_;
  Enqueue work_;
  TimingMode mode_;
  int repeats_ = 1;
  double estimate_ = 0.0;
  void* start_ = nullptr;
  void* stop_ = nullptr;
  void* graph_ = nullptr;
  std::string complaint_;
};

}  // namespace ladder::bench
