// SPDX-License-Identifier: MIT
#include "offload/pinned_ring.hpp"

#include <algorithm>

namespace ladder::shim {

namespace {

constexpr std::size_t most_slots = 32;
constexpr std::size_t smallest_slot = std::size_t{64} << 10;  // below, a copy costs more to start than to make
constexpr std::size_t slot_alignment = 4096;

/// The system takes pages from the node that the asking thread runs on. It is not asked for a node by name
/// (set_mempolicy): containers forbid that, and a program that was given a policy, as by numactl, keeps it.
LaunchStatus allocate_near(GpuDevice& device, void*& memory, std::size_t bytes, const CoreSet* cores) {
  if (cores == nullptr) return device.allocate_pinned(memory, bytes);
  const CoresOfThreadKept kept;
  if (kept.known()) static_cast<void>(cores->give_to_this_thread());
  return device.allocate_pinned(memory, bytes);
}

}  // namespace

LaunchStatus PinnedRing::open(GpuDevice& device, std::size_t bytes, const CoreSet* near) {
  if (memory_ == nullptr) {
    const std::size_t slots = std::clamp<std::size_t>(bytes / smallest_slot, 2, most_slots);
    slot_bytes_ = std::max(bytes / slots / slot_alignment * slot_alignment, slot_alignment);
    void* memory = nullptr;
    if (const LaunchStatus status = allocate_near(device, memory, slots * slot_bytes_, near); status != launch_ok)
      return status;
    memory_ = static_cast<std::byte*>(memory);
    slots_.resize(slots);
    for (std::size_t i = 0; i < slots; ++i) slots_[i].memory = memory_ + i * slot_bytes_;
  }
  for (PinnedSlot& slot : slots_) {
    slot.in_use = false;
    if (slot.copied != nullptr) continue;
    if (const LaunchStatus status = device.make_event(slot.copied); status != launch_ok) {
      slot.copied = nullptr;
      return status;
    }
  }
  return launch_ok;
}

}  // namespace ladder::shim
