// SPDX-License-Identifier: MIT
// The calls of the process by door, who served them, where, shape class and reason, with the time they took: what
// LADDER_LOG=summary prints.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "door.hpp"
#include "gpu_stopwatch.hpp"
#include "served.hpp"
#include "shape_class.hpp"
#include "word_list.hpp"

namespace ladder::shim {

/// What the calls of one row have in common.
struct SummaryKey {
  Door door;
  Served served;
  ShapeClass shape;
};

/// Calls that have their key in common, added up.
struct SummaryRow {
  std::atomic<std::uint64_t> key{0};  ///< packed; 0: the row is free
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> captured{0};  ///< of them: captured into a graph while GPU times were wanted
  std::atomic<std::uint64_t> nanoseconds{0};
  std::atomic<double> flops{0};
  GpuTally gpu;
};

/// Any thread; no locks, no allocation: a hash table of fixed size. What finds no room is added up in one row more.
class SummaryTable {
 public:
  static constexpr int most_rows = 1024;

  /// The row of that key; always the same one.
  SummaryRow& row(const SummaryKey& key);

  /// Where calls go that no row was left for. It has no key.
  SummaryRow& overflow() { return rows_[most_rows]; }
  const SummaryRow& overflow() const { return rows_[most_rows]; }

  /// True where there were no calls, or all of them were forgotten.
  bool empty() const;

  /// Calls `visit(const SummaryKey&, const SummaryRow&)` for every row with calls except the overflow.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (int i = 0; i < most_rows; ++i) {
      if (rows_[i].calls.load(std::memory_order_relaxed) != 0) visit(key_of(rows_[i]), rows_[i]);
    }
  }

  /// Every number becomes 0; rows keep their keys.
  void reset();

 private:
  std::uint64_t pack(const SummaryKey& key);
  SummaryKey key_of(const SummaryRow& row) const;

  std::array<SummaryRow, most_rows + 1> rows_;
  WordList reasons_;
  WordList failures_;
};

/// The process's own.
SummaryTable& summary_table();

}  // namespace ladder::shim
