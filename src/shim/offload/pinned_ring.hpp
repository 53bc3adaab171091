// SPDX-License-Identifier: MIT
// Pinned memory in slots that are used one after the other, around and around: what the bus copies at full speed.
#pragma once

#include <cstddef>
#include <deque>

#include "gpu_device.hpp"
#include "offload/copy_team.hpp"
#include "offload/core_set.hpp"

namespace ladder::shim {

struct PinnedSlot {
  std::byte* memory = nullptr;
  Event copied = nullptr;  ///< recorded behind the GPU's copy
  CopyJob job;             ///< of the team's copy
  bool in_use = false;
  bool issued = false;  ///< the GPU's copy has been enqueued, and `copied` recorded
};

class PinnedRing {
 public:
  /// Allocates `bytes` in all, at the first call only, in the memory next to `near` where that is not null. Where that
  /// fails, the next call tries again.
  LaunchStatus open(GpuDevice& device, std::size_t bytes, const CoreSet* near);

  std::size_t slot_bytes() const { return slot_bytes_; }
  /// The slot whose turn it is.
  PinnedSlot& next() { return slots_[turn_]; }
  void advance() { turn_ = (turn_ + 1) % slots_.size(); }

 private:
  std::byte* memory_ = nullptr;
  std::size_t slot_bytes_ = 0;
  std::size_t turn_ = 0;
  std::deque<PinnedSlot> slots_;
};

}  // namespace ladder::shim
