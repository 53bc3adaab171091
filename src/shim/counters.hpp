// SPDX-License-Identifier: MIT
// How many calls came through each door, who served them, where, and how long it took.
#pragma once

#include <cstdint>
#include <optional>

#include "door.hpp"
#include "served.hpp"

namespace ladder::shim {

/// Adds one call. `microseconds` is 0 where nobody asked for times. Any thread; no locks.
void count_call(Door door, const Served& served, double microseconds);

struct Count {
  Door door;
  Server server;
  const Rung* rung;
  Place place;
  std::uint64_t calls;
  double microseconds;
};

/// Calls `visit(const Count&)` for every combination that was seen at least once.
template <class Visit>
void for_each_count(Visit&& visit);

/// Calls through `door` (none: all doors) served by `rung` (null: by anyone, also by no rung at all).
std::uint64_t count_of(std::optional<Door> door, const Rung* rung);

void reset_counters();

namespace detail {
bool count_at(int index, Count& count);  // false where nothing was counted
extern const int count_slots;
}  // namespace detail

template <class Visit>
void for_each_count(Visit&& visit) {
  Count count;
  for (int i = 0; i < detail::count_slots; ++i) {
    if (detail::count_at(i, count)) visit(static_cast<const Count&>(count));
  }
}

}  // namespace ladder::shim
