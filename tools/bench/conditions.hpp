// SPDX-License-Identifier: MIT
// Under which conditions a measurement was made: machine, clocks, versions, commit. No number without them.
#pragma once

#include <cstdint>
#include <string>

#include "results.hpp"

namespace ladder::bench {

/// What is known before a measurement: the GPU with its SMs and power limit, driver, toolkit and architectures of the
/// build, CUDA runtime, host CPU, commit, UTC date, the command, and the clocks before. Without a GPU those lines
/// that speak of one are left out; what a GPU does not tell is "unknown". Never fails.
Conditions conditions_before(const std::string& command);

/// Appends what the GPU says at the end: clocks, power, temperature, and the reasons that held its clocks back, now or
/// in `throttle_seen` (the bits of the readings that the caller took on the way, or'ed). Appends nothing without a GPU.
void add_conditions_after(Conditions& conditions, std::uint64_t throttle_seen = 0);

}  // namespace ladder::bench
