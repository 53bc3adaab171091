// SPDX-License-Identifier: MIT
#include "offload/results.hpp"

#include <iterator>
#include <thread>

namespace ladder::shim {

void Results::add(const Transfer& transfer, const Rectangle& place, Event after) {
  const std::size_t chunks = chunk_count(transfer, most_);
  strips_.push_back({transfer, place, after, 0, chunks, std::vector<bool>(chunks, false)});
  to_issue_.push_back(std::prev(strips_.end()));
  ++added_;
}

LaunchStatus Results::advance(bool& moved) {
  retire_unpacked(moved);
  if (const LaunchStatus status = unpack_arrived(moved); status != launch_ok) return status;
  return issue(moved);
}

LaunchStatus Results::issue(bool& moved) {
  while (!to_issue_.empty()) {
    const auto strip = to_issue_.front();
    PinnedSlot* slot = nullptr;
    if (strip->transfer.staged) {
      slot = &ring_.next();
      if (slot->in_use) return launch_ok;
      slot->in_use = true;
      ring_.advance();
    }
    if (const LaunchStatus status = issue_chunk(strip, slot); status != launch_ok) return status;
    moved = true;
    if (strip->next_chunk < strip->written.size()) continue;
    if (const LaunchStatus status = device_.record(strip->after, stream_); status != launch_ok) return status;
    ++issued_;
    to_issue_.pop_front();
  }
  return launch_ok;
}

LaunchStatus Results::issue_chunk(std::list<Strip>::iterator strip, PinnedSlot* slot) {
  const Transfer& transfer = strip->transfer;
  if (strip->next_chunk == 0) {
    if (const LaunchStatus status = device_.wait(stream_, transfer.before); status != launch_ok) return status;
  }
  const Chunk chunk = chunk_at(transfer, most_, strip->next_chunk);
  void* to = slot != nullptr ? slot->memory : on_host(transfer, chunk);
  const std::size_t to_pitch = slot != nullptr ? chunk.width : transfer.host_pitch;
  const Direction direction = slot != nullptr ? Direction::to_host : Direction::by_address;
  const Copy2d copy{to,          to_pitch, on_device(transfer, chunk), transfer.device_pitch, chunk.width,
                    chunk.lines, direction};
  if (const LaunchStatus status = device_.copy(copy, stream_); status != launch_ok) return status;
  arriving_.push_back({strip, strip->next_chunk++, slot});
  return slot != nullptr ? device_.record(slot->copied, stream_) : launch_ok;
}

/// What the GPU writes to C by itself is seen to be there when all of its strip's copies are.
LaunchStatus Results::unpack_arrived(bool& moved) {
  while (!arriving_.empty()) {
    const Arriving front = arriving_.front();
    const Event event = front.slot != nullptr ? front.slot->copied : front.strip->after;
    bool passed = false;
    if (const LaunchStatus status = device_.has_passed(event, passed); status != launch_ok) return status;
    if (!passed) return launch_ok;
    moved = true;
    arriving_.pop_front();
    if (front.slot == nullptr) {
      mark_written(front);
      continue;
    }
    const Transfer& transfer = front.strip->transfer;
    const Chunk chunk = chunk_at(transfer, most_, front.chunk);
    front.slot->job.copy = {
        on_host(transfer, chunk), transfer.host_pitch, front.slot->memory, chunk.width, chunk.width, chunk.lines};
    front.slot->job.done.store(false, std::memory_order_relaxed);
    team_.submit(front.slot->job);
    unpacking_.push_back(front);
  }
  return launch_ok;
}

void Results::retire_unpacked(bool& moved) {
  while (!unpacking_.empty() && unpacking_.front().slot->job.done.load(std::memory_order_acquire)) {
    unpacking_.front().slot->in_use = false;
    mark_written(unpacking_.front());
    unpacking_.pop_front();
    moved = true;
  }
}

void Results::mark_written(const Arriving& arrived) {
  arrived.strip->written[arrived.chunk] = true;
  if (--arrived.strip->chunks_left == 0) strips_.erase(arrived.strip);
}

void Results::stop() {
  bool moved = false;
  while (!unpacking_.empty()) {
    retire_unpacked(moved);
    if (!unpacking_.empty()) std::this_thread::yield();
  }
  to_issue_.clear();
  arriving_.clear();
}

void Results::unwritten(std::vector<Rectangle>& rectangles) const {
  for (const Strip& strip : strips_) {
    for (std::size_t i = 0; i < strip.written.size(); ++i) {
      if (strip.written[i]) continue;
      const Chunk chunk = chunk_at(strip.transfer, most_, i);
      rectangles.push_back({strip.place.m0 + static_cast<std::int64_t>(chunk.byte / sizeof(float)),
                            static_cast<std::int64_t>(chunk.width / sizeof(float)),
                            strip.place.n0 + static_cast<std::int64_t>(chunk.line),
                            static_cast<std::int64_t>(chunk.lines)});
    }
  }
}

}  // namespace ladder::shim
