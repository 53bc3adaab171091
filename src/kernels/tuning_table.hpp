// SPDX-License-Identifier: MIT
// What was measured: for which problems which configuration of a rung is the quickest on one GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gemm_problem.hpp"

namespace ladder {

/// The operands of which every line, in the whole batch, begins where 128-bit accesses may.
enum class Alignment : std::uint8_t { none, a, b, both };

Alignment alignment_of(const GemmProblem& problem);

/// "none", "a", "b", "both".
const char* alignment_name(Alignment alignment);

/// A rung's id in a form that is quick to compare. No two rungs share one: an id has at most four characters.
enum class RungKey : std::uint32_t {};

constexpr RungKey rung_key(std::string_view id) {
  constexpr int bits_of_character = 8;
  std::uint32_t packed = 0;
  for (const char character : id) packed = packed << bits_of_character | static_cast<unsigned char>(character);
  return RungKey{packed};
}

/// What decides how the configurations of a rung compare, apart from the GPU.
struct TuningKey {
  RungKey rung{};
  Op op_a = Op::none;
  Op op_b = Op::none;
  Alignment alignment = Alignment::both;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;

  auto operator<=>(const TuningKey&) const = default;
};

TuningKey tuning_key(RungKey rung, const GemmProblem& problem);

/// The key of all problems whose extents are alike: each within half an octave, with powers of two in the middle
/// of their class.
TuningKey class_of(TuningKey key);

/// The outcome of one search. The texts belong to whoever made the record.
struct TuningRecord {
  std::string_view rung;  ///< its id, or "auto": the configuration is then the name of a rung
  Op op_a = Op::none;
  Op op_b = Op::none;
  Alignment alignment = Alignment::both;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch = 1;
  std::string_view config;          ///< the name of the quickest configuration
  double ms = 0.0;                  ///< its median time
  std::string_view runner_up = {};  ///< the name of the next; empty where there was none
};

/// Nothing of this is found in an empty table, or where a table does not say.
inline constexpr int no_config = -1;

/// Immutable once built, so that any number of threads may look things up.
class TuningTable {
 public:
  TuningTable() = default;

  /// Leaves out records whose rung or configuration does not exist in this build. Of two records of one problem the
  /// later counts. A class is represented by the configuration that won the most of its problems.
  explicit TuningTable(std::span<const TuningRecord> records);

  /// Index in foremost_kernel() of the one that was measured to be the quickest for exactly this problem, or no_config.
  int measured(const TuningKey& key) const { return exact_.find(key); }

  /// The same for the problem's class.
  int typical(const TuningKey& key) const { return classes_.find(class_of(key)); }

  bool empty() const { return exact_.size() == 0; }
  std::size_t size() const { return exact_.size(); }

 private:
  /// Open addressing, at most half full.
  class Map {
   public:
    void reserve(std::size_t entries);
    void insert(const TuningKey& key, int config);
    int find(const TuningKey& key) const;
    std::size_t size() const { return size_; }

   private:
    struct Slot {
      TuningKey key;
      int config = no_config;
    };
    std::size_t position_of(const TuningKey& key) const;

    std::vector<Slot> slots_;
    std::size_t size_ = 0;
  };

  Map exact_;
  Map classes_;
};

}  // namespace ladder
