// SPDX-License-Identifier: MIT
#include "counters.hpp"

#include <array>
#include <atomic>

namespace ladder::shim {

namespace {

constinit std::array<std::array<std::atomic<std::uint64_t>, server_count>, door_count> calls{};

}  // namespace

void count_call(Door door, const Served& served) {
  calls[static_cast<int>(door)][server_index(served)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t count_of(std::optional<Door> door, const Rung* rung) {
  std::uint64_t sum = 0;
  for (int d = 0; d < door_count; ++d) {
    if (door && static_cast<int>(*door) != d) continue;
    for (int s = 0; s < server_count; ++s) {
      if (rung == nullptr || rung == served_by_index(s).rung) sum += calls[d][s].load(std::memory_order_relaxed);
    }
  }
  return sum;
}

void reset_counters() {
  for (auto& of_door : calls) {
    for (auto& count : of_door) count.store(0, std::memory_order_relaxed);
  }
}

}  // namespace ladder::shim
