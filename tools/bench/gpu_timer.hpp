// SPDX-License-Identifier: MIT
// The stopwatch: how long a piece of GPU work takes, one sample at a time, so that several can take turns.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "rung.hpp"

namespace ladder::bench {

/// Enqueues the work to be timed on the stream, once, and returns without waiting. Null, or what went wrong (a text
/// that lives on). After a first call it must bear being captured into a CUDA graph.
using Enqueue = std::function<const char*(Stream)>;

/// Null for launch_ok, else the status in words.
const char* launch_complaint(LaunchStatus status);

/// What is true at the start of each sample, and how the work gets to the GPU.
struct TimingMode {
  bool cold = true;    ///< several times the L2 was written just before; else the same work ran just before
  bool graph = false;  ///< replayed as a CUDA graph, for work of a few microseconds; else enqueued between two events
};

/// A stream of its own on the current device, and a buffer that pushes everything else out of the L2. One thread.
class GpuTimer {
 public:
  GpuTimer();
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  /// Empty, or why nothing can be timed here.
  const std::string& complaint() const { return complaint_; }

  Stream stream() const { return stream_; }

  /// Keeps the GPU busy with the work for at least that long, at least once, and waits. Empty, or what went wrong.
  std::string run_for(const Enqueue& work, double milliseconds) const;

  /// Host time in microseconds that one call of `work` takes on the idle stream; waits before and after. 0 and a
  /// complaint where it went wrong.
  double host_microseconds(const Enqueue& work, std::string& complaint) const;

  /// The same of each of `calls` calls in a row, of which the stream has about a hundred at most before it: a program's
  /// calls, whose code and data are in the host's caches. Fewer, and a complaint, where one went wrong.
  std::vector<double> host_microseconds_in_a_row(const Enqueue& work, int calls, std::string& complaint) const;

  /// Enqueues the writing of the buffer. Null, or what went wrong.
  const char* flush_l2() const;

 private:
  void wait(std::string& complaint) const;

  Stream stream_ = nullptr;
  void* flush_ = nullptr;
  std::size_t flush_bytes_ = 0;
  std::string complaint_;
};

/// One piece of work, ready to be sampled: it has run twice, and its graph is built. The timer must outlive it.
class TimedWork {
 public:
  TimedWork(const GpuTimer& timer, Enqueue work, TimingMode mode);
  ~TimedWork();
  TimedWork(const TimedWork&) = delete;
  TimedWork& operator=(const TimedWork&) = delete;

  /// Empty, or what went wrong first, here or in a sample; the samples mean nothing then.
  const std::string& complaint() const { return complaint_; }

  /// Milliseconds of a first, rough measurement: to decide how many samples to take.
  double estimate() const { return estimate_; }

  /// Enqueues one sample and returns.
  void begin();

  /// Waits for it. Milliseconds that the work took on the GPU, from CUDA events around it; a warm graph runs it several
  /// times in a row and gives the mean.
  double end();

  double sample() {
    begin();
    return end();
  }

 private:
  void note(const char* complaint);
  void note(int status);
  void enqueue_sample(unsigned event_flags);
  void capture();

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
