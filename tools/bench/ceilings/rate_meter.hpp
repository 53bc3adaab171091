// SPDX-License-Identifier: MIT
// How much of a piece of work the GPU does in a second. Internal to the ceilings.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "bench/cuda_owned.hpp"
#include "ceilings_parts.hpp"

namespace ladder::bench {

/// Runs back to back, several times over, each time after a pause in which the card's power budget recovers.
struct RunPlan {
  int bursts = 1;
  int runs = 1;
  std::chrono::milliseconds pause{0};
};

/// On the current device and a stream of its own. What goes wrong is appended to the complaint, and the answer is
/// empty. One thread.
class RateMeter {
 public:
  explicit RateMeter(std::string& complaint);

  /// False where there is no stream to be had: nothing else is of use then.
  bool works() const { return stream_ != nullptr; }

  /// Amount per second: the median of the runs, from CUDA events between them, after one run that does not count.
  /// Waits for the stream.
  std::optional<double> rate(const char* what, const Work& work, const RunPlan& plan);

  /// Keeps the device busy with the work for at least that long.
  void keep_busy(const Work& work, std::chrono::milliseconds how_long);

  /// Filled with `fill` in each byte; null where there is no such memory.
  DeviceMemory device_memory(const char* what, std::size_t bytes, int fill);

  /// True for success; else the complaint says that `what` failed, and why.
  bool succeeded(const char* what, cudaError_t error);

 private:
  cudaError_t time_burst(const Work& work, int runs, std::vector<double>& seconds);

  std::string& complaint_;
  OwnedStream stream_;
  std::vector<OwnedEvent> events_;
};

}  // namespace ladder::bench
