// SPDX-License-Identifier: MIT
// `ladder tune --host`: the rates of the host model, from what some calls took on the CPU and through a GPU.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench_problem.hpp"
#include "shim/offload/host_model.hpp"

namespace ladder::tune {

/// Seconds of one call on matrices in pageable memory; nothing, and why, where it failed.
using HostTimer = std::function<std::optional<double>(const bench::BenchProblem& problem, std::string& complaint)>;

/// One measurement, and what the model says of it with the rates that were found.
struct HostTime {
  bench::BenchProblem problem;
  bool on_gpu = false;
  double seconds = 0.0;
  double expected_s = 0.0;
};

struct HostSession {
  std::string complaint;  ///< why `rates` are not complete; empty where they are
  shim::HostRates rates;
  std::vector<HostTime> times;
};

/// What the session measures with.
struct HostTimers {
  HostTimer cpu, gpu;
  double bus_up = 0.0, bus_down = 0.0;  ///< byte/s with pinned memory; not measured here
};

/// Times cubes on the CPU, from which its peak and its ramp follow, and thin products that are all reading or all
/// writing, then products through the GPU that hang on one rate each. What no measurement hangs on keeps the value that
/// it has in `rates`. Leaves the GPU's rates alone where there is no timer for it.
HostSession measure_host(const HostTimers& timers, const shim::HostRates& rates);

/// A line for people.
std::string host_rates_text(const shim::HostRates& rates);

}  // namespace ladder::tune
