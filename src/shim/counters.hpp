// SPDX-License-Identifier: MIT
// How many calls came through each door, and who served them where: what the public interface reports.
#pragma once

#include <cstdint>
#include <optional>

#include "door.hpp"
#include "served.hpp"

namespace ladder::shim {

/// Adds one call. Any thread; no locks.
void count_call(Door door, const Served& served);

/// Calls through `door` (none: all doors) served by `rung` (null: by anyone, also by no rung at all).
std::uint64_t count_of(std::optional<Door> door, const Rung* rung);

void reset_counters();

}  // namespace ladder::shim
