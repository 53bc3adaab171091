// SPDX-License-Identifier: MIT
// Operands whose planes are kept from one product to the next, because somebody said that they do not change.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <shared_mutex>

#include "gemm_problem.hpp"
#include "planes.hpp"
#include "rung.hpp"

namespace ladder {

/// op(A) or op(B) as its image has it, which does not know its side: rows of op(A), or columns of op(B).
struct PreparedOperand {
  const float* matrix = nullptr;
  std::int64_t rows = 0;
  std::int64_t k = 0;
  std::int64_t ld = 1;
  bool k_major = false;  ///< neighbours in memory are neighbours along k

  bool operator==(const PreparedOperand&) const = default;
};

/// What is kept of an operand.
struct PreparedPlanes {
  PlaneImage bf16x3;
  PlaneImage fp16x2;
  RangeFacts* facts = nullptr;  ///< its values', as those of an A; null: nothing is kept
};

/// What is kept of the operands of a problem.
struct KeptOperands {
  PreparedPlanes a;
  PreparedPlanes b;

  KnownFacts facts() const { return {a.facts, b.facts}; }

  /// What is kept in place of what would be written.
  SplitOperands in_place_of(SplitOperands planes, PlaneFormat format) const;
};

/// Bytes of that; what lay_out_prepared() divides them into, aligned to plane_alignment as they are.
std::size_t prepared_bytes(const PreparedOperand& operand);
PreparedPlanes lay_out_prepared(const PreparedOperand& operand, unsigned char* memory);

/// What is kept on each of several devices or contexts. Any thread.
class PreparedTable {
 public:
  static constexpr int most = 256;

  /// True where nothing is kept at all: costs no lock.
  bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

  /// False where there is no room for one more.
  bool add(int context, const PreparedOperand& operand, const PreparedPlanes& planes);
  void remove(const RangeFacts* facts);
  /// Of a batch, an operand that all products share may be one that is kept.
  KeptOperands find(int context, const GemmProblem& problem) const;

 private:
  struct Entry {
    int context = 0;
    PreparedOperand operand;
    PreparedPlanes planes;  // without facts: the entry is free
  };

  PreparedPlanes planes_of(int context, const PreparedOperand& operand) const;

  std::atomic<int> count_{0};
  mutable std::shared_mutex mutex_;
  std::array<Entry, most> entries_{};
};

// For both devices, in each:
//
// prepare()       writes the planes of an operand and keeps them until release(). Waits for `stream`. launch_no_memory
//                 where the device, or the table, has no room for them.
// kept_operands() looks for those of a problem. Costs nothing to speak of where nothing is kept.
// write_planes()  enqueues the kernels of prepare().
// recall_facts()  enqueues a kernel that adds what is known of the values of kept operands to `facts`; none where
// neither
//                 is kept.

struct Prepared {
  PreparedPlanes planes;
  void* memory = nullptr;
};

namespace gpu {
LaunchStatus prepare(const PreparedOperand& operand, Stream stream, Prepared& prepared);
void release(const Prepared& prepared);
KeptOperands kept_operands(const GemmProblem& problem);
LaunchStatus write_planes(const PreparedOperand& operand, Stream stream, const PreparedPlanes& planes);
LaunchStatus recall_facts(const GemmProblem& problem, Stream stream, RangeFacts* facts, const KnownFacts& known);
}  // namespace gpu

namespace emulated {
LaunchStatus prepare(const PreparedOperand& operand, Stream stream, Prepared& prepared);
void release(const Prepared& prepared);
KeptOperands kept_operands(const GemmProblem& problem);
LaunchStatus write_planes(const PreparedOperand& operand, Stream stream, const PreparedPlanes& planes);
LaunchStatus recall_facts(const GemmProblem& problem, Stream stream, RangeFacts* facts, const KnownFacts& known);
}  // namespace emulated

}  // namespace ladder
