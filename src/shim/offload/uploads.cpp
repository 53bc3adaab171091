// SPDX-License-Identifier: MIT
#include "offload/uploads.hpp"

#include <thread>

namespace ladder::shim {

void Uploads::add(const Transfer& transfer) {
  to_pack_.push_back(transfer);
  ++added_;
}

LaunchStatus Uploads::advance(bool& moved) {
  if (const LaunchStatus status = pack(moved); status != launch_ok) return status;
  while (!packed_.empty()) {
    const Packed& front = packed_.front();
    if (front.slot != nullptr && !front.slot->job.done.load(std::memory_order_acquire)) return launch_ok;
    if (const LaunchStatus status = issue(front); status != launch_ok) return status;
    if (front.last) ++issued_;
    packed_.pop_front();
    moved = true;
  }
  return launch_ok;
}

/// Null where the slot whose turn it is has not been copied from yet.
LaunchStatus Uploads::take_slot(PinnedSlot*& slot) {
  slot = nullptr;
  PinnedSlot& next = ring_.next();
  if (next.in_use) {
    if (!next.issued) return launch_ok;
    bool passed = false;
    if (const LaunchStatus status = device_.has_passed(next.copied, passed); status != launch_ok) return status;
    if (!passed) return launch_ok;
  }
  slot = &next;
  slot->in_use = true;
  slot->issued = false;
  ring_.advance();
  return launch_ok;
}

LaunchStatus Uploads::pack(bool& moved) {
  while (!to_pack_.empty()) {
    const Transfer& transfer = to_pack_.front();
    const std::size_t chunks = chunk_count(transfer, most_);
    PinnedSlot* slot = nullptr;
    if (transfer.staged) {
      if (const LaunchStatus status = take_slot(slot); status != launch_ok) return status;
      if (slot == nullptr) return launch_ok;
    }
    const Chunk chunk = chunk_at(transfer, most_, next_chunk_);
    packed_.push_back({transfer, chunk, slot, next_chunk_ == 0, next_chunk_ + 1 == chunks});
    if (slot != nullptr) {
      slot->job.copy = {slot->memory,        chunk.width, on_host(transfer, chunk),
                        transfer.host_pitch, chunk.width, chunk.lines};
      slot->job.done.store(false, std::memory_order_relaxed);
      team_.submit(slot->job);
    }
    if (++next_chunk_ == chunks) {
      next_chunk_ = 0;
      to_pack_.pop_front();
    }
    moved = true;
  }
  return launch_ok;
}

LaunchStatus Uploads::issue(const Packed& packed) {
  const auto& [transfer, chunk, slot, first, last] = packed;
  if (first && transfer.before != nullptr) {
    if (const LaunchStatus status = device_.wait(stream_, transfer.before); status != launch_ok) return status;
  }
  const void* from = slot != nullptr ? slot->memory : on_host(transfer, chunk);
  const std::size_t from_pitch = slot != nullptr ? chunk.width : transfer.host_pitch;
  const Direction direction = slot != nullptr ? Direction::to_device : Direction::by_address;
  const Copy2d copy{
      on_device(transfer, chunk), transfer.device_pitch, from, from_pitch, chunk.width, chunk.lines, direction};
  const LaunchStatus status = device_.copy(copy, stream_);
  if (status != launch_ok || slot == nullptr) return status;
  slot->issued = true;
  return device_.record(slot->copied, stream_);
}

void Uploads::stop() {
  to_pack_.clear();
  for (const Packed& packed : packed_) {
    while (packed.slot != nullptr && !packed.slot->job.done.load(std::memory_order_acquire)) std::this_thread::yield();
  }
  packed_.clear();
}

}  // namespace ladder::shim
