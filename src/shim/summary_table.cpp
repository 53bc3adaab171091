// SPDX-License-Identifier: MIT
#include "summary_table.hpp"

#include <algorithm>

namespace ladder::shim {

namespace {

/// Where a field of a packed key begins, and how many values it has room for.
struct Field {
  int shift;
  int values;

  std::uint64_t packed(int value) const { return static_cast<std::uint64_t>(value) << shift; }
  int of(std::uint64_t key) const { return static_cast<int>(key >> shift) & (values - 1); }
};

constexpr Field door_field{0, 256};
constexpr Field server_field{8, 256};
constexpr Field place_field{16, 4};
constexpr Field shape_field{18, 16};
constexpr Field gpu_field{22, 256};  // the ordinal and 1; 0: not known
constexpr Field reason_field{30, 128};
constexpr Field failure_field{37, 128};  // the number and 1; 0: none
constexpr Field used_field{63, 2};       // 1, so that no key is 0

static_assert(door_count <= door_field.values && server_count <= server_field.values, "a key has room");
static_assert(place_count <= place_field.values && shape_class_count <= shape_field.values, "a key has room");
static_assert(WordList::too_many + 1 < reason_field.values, "a key has room");

int first_row(std::uint64_t key) {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;  // Fibonacci hashing: the upper bits are well mixed
  constexpr int upper_bits = 32;
  return static_cast<int>((key * golden_ratio >> upper_bits) % SummaryTable::most_rows);
}

}  // namespace

std::uint64_t SummaryTable::pack(const SummaryKey& key) {
  const Served& served = key.served;
  const int gpu = std::clamp(served.gpu_ordinal + 1, 0, gpu_field.values - 1);
  const int failure = served.failure ? failures_.number_of(served.failure) + 1 : 0;
  return door_field.packed(static_cast<int>(key.door)) | server_field.packed(server_index(served)) |
         place_field.packed(static_cast<int>(served.place)) | shape_field.packed(static_cast<int>(key.shape)) |
         gpu_field.packed(gpu) | reason_field.packed(reasons_.number_of(served.why)) | failure_field.packed(failure) |
         used_field.packed(1);
}

SummaryKey SummaryTable::key_of(const SummaryRow& row) const {
  const std::uint64_t packed = row.key.load(std::memory_order_relaxed);
  SummaryKey key{static_cast<Door>(door_field.of(packed)), served_by_index(server_field.of(packed)),
                 static_cast<ShapeClass>(shape_field.of(packed))};
  key.served.place = static_cast<Place>(place_field.of(packed));
  key.served.gpu_ordinal = gpu_field.of(packed) - 1;
  key.served.why = reasons_.word(reason_field.of(packed));
  if (const int failure = failure_field.of(packed); failure != 0) key.served.failure = failures_.word(failure - 1);
  return key;
}

SummaryRow& SummaryTable::row(const SummaryKey& key) {
  constexpr int most_probes = 32;  // a table that is so full that these are all taken has too many rows to read
  const std::uint64_t wanted = pack(key);
  const int first = first_row(wanted);
  for (int i = 0; i < most_probes; ++i) {
    SummaryRow& row = rows_[(first + i) % most_rows];
    std::uint64_t found = row.key.load(std::memory_order_relaxed);
    if (found == 0 && row.key.compare_exchange_strong(found, wanted, std::memory_order_relaxed)) return row;
    if (found == wanted) return row;
  }
  return overflow();
}

bool SummaryTable::empty() const {
  return std::all_of(rows_.begin(), rows_.end(),
                     [](const SummaryRow& row) { return row.calls.load(std::memory_order_relaxed) == 0; });
}

void SummaryTable::reset() {
  for (SummaryRow& row : rows_) {
    row.calls.store(0, std::memory_order_relaxed);
    row.captured.store(0, std::memory_order_relaxed);
    row.nanoseconds.store(0, std::memory_order_relaxed);
    row.flops.store(0, std::memory_order_relaxed);
    row.gpu.reset();
  }
}

SummaryTable& summary_table() {
  static constinit SummaryTable table;
  return table;
}

}  // namespace ladder::shim
