// SPDX-License-Identifier: MIT
// What LADDER_LOG asks for: a line a call, or a table at exit.
#pragma once

#include <chrono>
#include <string>

#include "door.hpp"
#include "gemm_problem.hpp"
#include "gpu_stopwatch.hpp"
#include "served.hpp"

namespace ladder::shim {

/// Opened at a door, closed once the call is served: counts it and, where asked for, writes its line or adds it to the
/// summary. With LADDER_LOG=off no clock is read and nothing is formatted.
class CallRecord {
 public:
  explicit CallRecord(Door door);
  /// `stopwatch` takes the place of the process's own; null: nothing is timed on the GPU.
  CallRecord(Door door, GpuStopwatch* stopwatch);

  /// To be started before, and stopped after, the work on the GPU is enqueued. Times nothing unless asked to.
  GpuLap& gpu_lap() { return lap_; }

  void close(const GemmProblem& problem, const Served& served);
  /// A call that is not ours to serve: in the log and the summary, but not among the counts of the public interface.
  void close_passed_on(const Served& served);

 private:
  double microseconds() const;
  void add_to_summary(const Served& served, const GemmProblem* problem, double microseconds);

  Door door_;
  std::chrono::steady_clock::time_point begin_;
  GpuLap lap_;
};

/// True where the caller of close() should find out which GPU it was.
bool logs_device();

/// True where calls are to be timed on the GPU: LADDER_LOG=summary with LADDER_LOG_TIME=gpu.
bool logs_gpu_time();

/// The line of one call, without the newline (contract: greppable, key=value).
std::string format_call(Door door, const GemmProblem& problem, const Served& served, double microseconds);

/// The line of a call that is not ours to serve.
std::string format_passed_on(Door door, const Served& served, double microseconds);

/// LADDER_LOG_FILE with %p replaced by the process id.
std::string log_path(const std::string& pattern, long process_id);

/// Sets to 0 what has been counted and timed so far, for the public interface and for the summary.
void forget_calls();

}  // namespace ladder::shim
