// SPDX-License-Identifier: MIT
// Which captured graph holds which piece of memory: the bookkeeping, without the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "scratch.hpp"

namespace ladder {

inline constexpr std::size_t ticket_bytes = scratch_tickets * sizeof(std::uint32_t);
inline constexpr std::size_t largest_piece = ticket_bytes + scratch_floats * sizeof(float);

/// Tickets and so many parts: a power of two from 1 MiB on, or all that a launch may need. `floats` is not above
/// scratch_floats.
std::size_t piece_bytes(std::int64_t floats);

/// What is launched on one stream during one capture: one after the other, also when the graph is replayed.
struct CapturedStream {
  int context = 0;
  std::uint64_t capture = 0;
  std::uintptr_t stream = 0;

  bool operator==(const CapturedStream&) const = default;
};

class ScratchPieces;

/// Device memory of one context. Whoever took it reads it without a lock.
struct ScratchPiece {
  ScratchPieces* home = nullptr;
  CapturedStream owner;
  std::size_t bytes = 0;
  char* memory = nullptr;  ///< null: not there yet
  bool is_held = false;
  ScratchPiece* next = nullptr;
  std::mutex turn;  ///< for the owner's launches that are more than one kernel
};

/// Pieces stay where they are, so that a graph may keep an address, and are never freed: what one graph leaves behind
/// is the next one's. Any thread. May be constinit.
class ScratchPieces {
 public:
  struct Taken {
    ScratchPiece* piece = nullptr;  ///< null: all that there is room for is held
    bool was_held = false;          ///< by the same owner: its graph knows already
  };

  /// A piece of at least `bytes` for that owner: one that it holds, else the smallest that nobody does, else a new
  /// one, for which the caller must fill() in the memory or forget() it, where those of the context stay below
  /// `most_bytes`.
  Taken take(const CapturedStream& owner, std::size_t bytes, std::size_t most_bytes);
  void fill(ScratchPiece& piece, char* memory);
  void forget(ScratchPiece& piece);

  /// Nobody holds it any more. No allocation, and no call of anyone else.
  void give_back(ScratchPiece& piece);

 private:
  ScratchPiece* blank();

  std::mutex mutex_;  // never held while CUDA is called: CUDA calls give_back() with locks of its own
  ScratchPiece* first_ = nullptr;
};

}  // namespace ladder
