// SPDX-License-Identifier: MIT
#include "counters.hpp"

#include <atomic>

namespace ladder::shim {

namespace {

#define HANDED_ON_RUNG(...) +1
#define KERNEL_RUNG(...) +1
constexpr int rung_count = 0
#include "rungs.def"
    ;
#undef HANDED_ON_RUNG
#undef KERNEL_RUNG

// After the rungs: the next BLAS, then calls that needed no work.
constexpr int next_blas_column = rung_count;
constexpr int nobody_column = rung_count + 1;
constexpr int column_count = rung_count + 2;
constexpr int slot_count = door_count * column_count * place_count;

struct Slot {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> nanoseconds{0};
};
Slot slots[slot_count];

int column_of(const Served& served) {
  switch (served.server) {
    case Server::rung:
      return static_cast<int>(served.rung - rungs().data());
    case Server::next_blas:
      return next_blas_column;
    case Server::nobody:
      break;
  }
  return nobody_column;
}

}  // namespace

namespace detail {

const int count_slots = slot_count;

bool count_at(int index, Count& count) {
  const Slot& slot = slots[index];
  const std::uint64_t calls = slot.calls.load(std::memory_order_relaxed);
  if (calls == 0) return false;
  constexpr double nanoseconds_per_microsecond = 1e3;
  const int column = index / place_count % column_count;
  count.door = static_cast<Door>(index / (place_count * column_count));
  count.server = column == next_blas_column ? Server::next_blas
                 : column == nobody_column  ? Server::nobody
                                            : Server::rung;
  count.rung = column < rung_count ? &rungs()[column] : nullptr;
  count.place = static_cast<Place>(index % place_count);
  count.calls = calls;
  count.microseconds = slot.nanoseconds.load(std::memory_order_relaxed) / nanoseconds_per_microsecond;
  return true;
}

}  // namespace detail

void count_call(Door door, const Served& served, double microseconds) {
  constexpr double nanoseconds_per_microsecond = 1e3;
  const int row = static_cast<int>(door) * column_count + column_of(served);
  Slot& slot = slots[row * place_count + static_cast<int>(served.place)];
  slot.calls.fetch_add(1, std::memory_order_relaxed);
  if (microseconds > 0)
    slot.nanoseconds.fetch_add(static_cast<std::uint64_t>(microseconds * nanoseconds_per_microsecond),
                               std::memory_order_relaxed);
}

std::uint64_t count_of(std::optional<Door> door, const Rung* rung) {
  std::uint64_t calls = 0;
  for_each_count([&](const Count& count) {
    if ((!door || *door == count.door) && (rung == nullptr || rung == count.rung)) calls += count.calls;
  });
  return calls;
}

void reset_counters() {
  for (Slot& slot : slots) {
    slot.calls.store(0, std::memory_order_relaxed);
    slot.nanoseconds.store(0, std::memory_order_relaxed);
  }
}

}  // namespace ladder::shim
