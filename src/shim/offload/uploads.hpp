// SPDX-License-Identifier: MIT
// The way of panels to the device: threads pack chunks into pinned slots, the GPU copies them from there.
#pragma once

#include <cstdint>
#include <deque>

#include "offload/copy_team.hpp"
#include "offload/pinned_ring.hpp"
#include "offload/transfer.hpp"

namespace ladder::shim {

/// Of one call. Copies begin in the order in which transfers were added. One thread calls it.
class Uploads {
 public:
  /// `bytes`: of all that it will be given, about.
  Uploads(GpuDevice& device, CopyTeam& team, PinnedRing& ring, Stream stream, double bytes)
      : device_(device), team_(team), ring_(ring), stream_(stream), most_(chunk_bytes(bytes, ring.slot_bytes())) {}

  void add(const Transfer& transfer);
  std::int64_t added() const { return added_; }
  /// How many of the transfers added first have all their copies enqueued.
  std::int64_t issued() const { return issued_; }

  /// Does what can be done without waiting; `moved` becomes true where that was anything.
  LaunchStatus advance(bool& moved);

  /// Waits until no thread reads the caller's memory any more. Nothing can be added after.
  void stop();

 private:
  struct Packed {
    Transfer transfer;
    Chunk chunk;
    PinnedSlot* slot;  // null: the GPU copies from the caller's memory
    bool first, last;  // of its transfer
  };

  LaunchStatus pack(bool& moved);
  LaunchStatus take_slot(PinnedSlot*& slot);
  LaunchStatus issue(const Packed& packed);

  GpuDevice& device_;
  CopyTeam& team_;
  PinnedRing& ring_;
  Stream stream_;
  const std::size_t most_;  // bytes of a chunk
  std::deque<Transfer> to_pack_;
  std::size_t next_chunk_ = 0;  // of the first of them
  std::deque<Packed> packed_;   // or being packed
  std::int64_t added_ = 0;
  std::int64_t issued_ = 0;
};

}  // namespace ladder::shim
