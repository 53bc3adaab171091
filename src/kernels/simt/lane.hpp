// SPDX-License-Identifier: MIT
// One thread of an emulated block (a lane), and what it asks of the block's threads together (the team).
#pragma once

#include <cstdint>

#include "grid_extents.hpp"
#include "rung.hpp"

namespace ladder::simt {

inline constexpr int lanes_per_warp = 32;
inline constexpr int largest_block = 1024;
inline constexpr int largest_copy = 4;  // floats in one asynchronous copy

/// threadIdx, blockIdx, blockDim and gridDim.
struct Index {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};

inline Index index_of(const GridExtents& extents) {
  return {static_cast<unsigned>(extents.x), static_cast<unsigned>(extents.y), static_cast<unsigned>(extents.z)};
}

/// The index of the block that is number `block` in the order x, y, z.
inline Index block_at(const Index& grid, std::int64_t block) {
  const std::int64_t row = block / grid.x;
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(row % grid.y),
          static_cast<unsigned>(row / grid.y)};
}

/// An asynchronous copy that has been issued and has not landed. The source has been read already.
struct CopyInFlight {
  CopyInFlight* next;
  float* to;
  int floats;
  std::uint32_t group;  ///< of its lane
  float value[largest_copy];
};

/// Writes one copy to its destination.
inline void land(const CopyInFlight& copy) {
  for (int i = 0; i < copy.floats; ++i) copy.to[i] = copy.value[i];
}

/// Copies of one lane that are not attached to a barrier yet, youngest first.
struct CopyList {
  CopyInFlight* youngest = nullptr;
  CopyInFlight* oldest = nullptr;
  std::uint32_t group = 0;  ///< number of the one that is open

  void push(CopyInFlight* copy) {
    copy->group = group;
    copy->next = youngest;
    youngest = copy;
    if (!oldest) oldest = copy;
  }

  /// Lands the copies of all groups before number `first`.
  void land_before(std::uint32_t first) {
    CopyInFlight** link = &youngest;
    CopyInFlight* last_kept = nullptr;
    while (*link && (*link)->group >= first) last_kept = *link, link = &(*link)->next;
    for (const CopyInFlight* copy = *link; copy; copy = copy->next) land(*copy);
    *link = nullptr;
    oldest = last_kept;
  }
};

/// State of a StageBarrier. It lies in shared memory, so it starts as bytes of NaN and is never constructed.
struct StageState {
  CopyInFlight* attached;   ///< land when the phase completes
  std::uint32_t expected;   ///< arrivals that complete a phase
  std::uint32_t arrivals;   ///< since init(), all phases together
  std::uint32_t completed;  ///< phases

  bool initialised() const { return expected <= largest_block; }
};

class Team;

struct Lane {
  Index thread_index;
  Team* team = nullptr;
  CopyList copies;
};

/// Unwinds a lane out of its kernel after its launch has failed. It never leaves the emulator.
struct Abandoned {};

/// The threads of the block that is running. One implementation for each scheduler.
/// Every call is made by a lane about itself. It may throw Abandoned.
class Team {
 public:
  virtual ~Team() = default;

  virtual void sync_block(Lane& lane) = 0;
  virtual void sync_warp(Lane& lane) = 0;

  /// Storage for one more copy of this lane, which it then owns until the block ends or the copy lands.
  virtual CopyInFlight* take_copy(Lane& lane) = 0;

  virtual void arrive(Lane& lane, StageState& stage) = 0;

  /// Hands the lane's unattached copies to the stage. They land when its current phase completes.
  virtual void attach_copies(Lane& lane, StageState& stage) = 0;
  virtual void wait(Lane& lane, StageState& stage, std::uint32_t parity) = 0;

  /// Records why the launch fails; the first reason stays.
  virtual void fail(LaunchStatus status) = 0;

  Index block_index;
  Index block_dim;
  Index grid_dim;
  void* smem = nullptr;
  float exchange[largest_block];     ///< where the lanes of a warp leave values for each other
  const void* shown[largest_block];  ///< the same for what stays where it is
};

/// The lane that the calling OS thread is running; null outside a kernel. Fibers never move between
/// OS threads, so the address may be kept in a register.
extern constinit thread_local Lane* current_lane;

inline Lane& lane() { return *current_lane; }

/// Ends this launch with `status`.
[[noreturn]] void give_up(Lane& lane, LaunchStatus status);

}  // namespace ladder::simt
