// SPDX-License-Identifier: MIT
// The way of results to C: the GPU copies chunks into pinned slots, threads unpack them from there. A chunk of C is
// written when it has arrived whole, and not before.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <vector>

#include "offload/copy_team.hpp"
#include "offload/pinned_ring.hpp"
#include "offload/transfer.hpp"

namespace ladder::shim {

/// Rows m0 to m0 + m - 1 and columns n0 to n0 + n - 1 of C.
struct Rectangle {
  std::int64_t m0 = 0;
  std::int64_t m = 0;
  std::int64_t n0 = 0;
  std::int64_t n = 0;
};

/// Of one call. Strips arrive in the order in which they were added. One thread calls it.
class Results {
 public:
  /// `bytes`: of all that it will be given, about.
  Results(GpuDevice& device, CopyTeam& team, PinnedRing& ring, Stream stream, double bytes)
      : device_(device), team_(team), ring_(ring), stream_(stream), most_(chunk_bytes(bytes, ring.slot_bytes())) {}

  /// `place`: of the strip in C. `after` is recorded behind its last copy.
  void add(const Transfer& transfer, const Rectangle& place, Event after);
  std::int64_t added() const { return added_; }
  /// How many of the strips added first have all their copies enqueued, and `after` recorded.
  std::int64_t issued() const { return issued_; }
  /// True where all that was added has been written to C.
  bool all_written() const { return strips_.empty(); }

  /// Does what can be done without waiting; `moved` becomes true where that was anything.
  LaunchStatus advance(bool& moved);

  /// Waits until no thread writes to C any more. What has not been written by then never will be. Nothing can be added
  /// after.
  void stop();

  /// What was added and not written.
  void unwritten(std::vector<Rectangle>& rectangles) const;

 private:
  struct Strip {
    Transfer transfer;
    Rectangle place;
    Event after;
    std::size_t next_chunk;
    std::size_t chunks_left;  // to be written
    std::vector<bool> written;
  };
  struct Arriving {
    std::list<Strip>::iterator strip;
    std::size_t chunk;
    PinnedSlot* slot;  // null: the GPU writes to C
  };

  LaunchStatus issue(bool& moved);
  LaunchStatus issue_chunk(std::list<Strip>::iterator strip, PinnedSlot* slot);
  LaunchStatus unpack_arrived(bool& moved);
  void retire_unpacked(bool& moved);
  void mark_written(const Arriving& arrived);

  GpuDevice& device_;
  CopyTeam& team_;
  PinnedRing& ring_;
  Stream stream_;
  const std::size_t most_;   // bytes of a chunk
  std::list<Strip> strips_;  // not written yet
  std::deque<std::list<Strip>::iterator> to_issue_;
  std::deque<Arriving> arriving_;
  std::deque<Arriving> unpacking_;
  std::int64_t added_ = 0;
  std::int64_t issued_ = 0;
};

}  // namespace ladder::shim
