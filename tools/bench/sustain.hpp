// SPDX-License-Identifier: MIT
// Work without a pause, for seconds: what is kept up once power and heat have had their say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu_timer.hpp"
#include "nvml.hpp"

namespace ladder::bench {

struct Sustained {
  std::vector<double> milliseconds;  ///< of each run in the last two thirds of the time, from the end of the one before
  std::vector<double> mhz;           ///< readings of the sensors meanwhile, here and below
  std::vector<double> watts;
  std::uint64_t throttle_reasons = 0;  ///< NVML's bits, or'ed
  std::string complaint;               ///< empty, or what went wrong: the samples mean nothing then
};

/// Keeps the GPU busy with `work` for that many seconds, at least three runs, and waits. Where the work is short a
/// "run" is several, and its time their mean.
Sustained sustain(const GpuTimer& timer, const Enqueue& work, double seconds, const GpuSensors& sensors);

}  // namespace ladder::bench
