// SPDX-License-Identifier: MIT
#include "os_thread_team.hpp"

#include <algorithm>
#include <new>
#include <thread>

namespace ladder::simt {

namespace {

using Word = std::atomic_ref<std::uint32_t>;
using CopyHead = std::atomic_ref<CopyInFlight*>;

}  // namespace

OsThreadTeam::OsThreadTeam(const Grid& grid, std::chrono::milliseconds patience)
    : grid_(grid), patience_(patience), members_(static_cast<std::size_t>(grid.threads)) {
  smem_.resize(grid.smem_bytes);
  smem = smem_.address();
  block_dim = {static_cast<unsigned>(grid.threads), 1, 1};
  grid_dim = index_of(grid.extents);
  threads_.reserve(members_.size());
  try {
    for (Member& member : members_) {
      member.thread_index.x = static_cast<unsigned>(threads_.size());
      member.team = this;
      threads_.emplace_back([this, &member] { serve(member); });
    }
  } catch (...) {
    closing_.store(true, std::memory_order_relaxed);
    next_turn();
    throw;
  }
}

OsThreadTeam::~OsThreadTeam() {
  closing_.store(true, std::memory_order_relaxed);
  next_turn();
}

void OsThreadTeam::next_turn() {
  turn_.fetch_add(1, std::memory_order_release);
  turn_.notify_all();
}

LaunchStatus OsThreadTeam::run_block(std::int64_t block) {
  block_index = block_at(grid_dim, block);
  smem_.fill_with_nan();
  block_ = std::make_unique<BarrierMeeting>(*this, grid_.threads);
  warps_.clear();
  for (int first = 0; first < grid_.threads; first += lanes_per_warp)
    warps_.push_back(std::make_unique<BarrierMeeting>(*this, std::min(grid_.threads - first, lanes_per_warp)));
  busy_.store(grid_.threads, std::memory_order_relaxed);
  next_turn();
  for (int busy = busy_.load(std::memory_order_acquire); busy > 0; busy = busy_.load(std::memory_order_acquire))
    busy_.wait(busy, std::memory_order_acquire);
  return status_.load();
}

void OsThreadTeam::serve(Member& member) {
  for (int turns_seen = 0;; ++turns_seen) {
    turn_.wait(turns_seen, std::memory_order_acquire);
    if (closing_.load(std::memory_order_relaxed)) return;
    run_member(member);
    if (busy_.fetch_sub(1, std::memory_order_release) == 1) busy_.notify_one();
  }
}

void OsThreadTeam::run_member(Member& member) {
  member.copies = {};
  member.copy_storage.clear();
  current_lane = &member;
  try {
    grid_.entry(grid_.argument);
  } catch (const Abandoned&) {
  } catch (const std::bad_alloc&) {
    fail(emulator_no_memory);
  }
  current_lane = nullptr;
  warp_of(member).leave();
  block_->leave();
}

void OsThreadTeam::fail(LaunchStatus status) {
  LaunchStatus none = launch_ok;
  status_.compare_exchange_strong(none, status, std::memory_order_relaxed);
}

void OsThreadTeam::leave_if_failed() const {
  if (status_.load(std::memory_order_relaxed) != launch_ok) throw Abandoned{};
}

void OsThreadTeam::sync_block(Lane&) {
  block_->meet();
  note_progress();
  leave_if_failed();
}

void OsThreadTeam::sync_warp(Lane& lane) {
  warp_of(lane).meet();
  note_progress();
  leave_if_failed();
}

CopyInFlight* OsThreadTeam::take_copy(Lane& lane) { return &static_cast<Member&>(lane).copy_storage.emplace_back(); }

void OsThreadTeam::attach_copies(Lane& lane, StageState& stage) {
  if (!lane.copies.youngest) return;
  CopyHead head(stage.attached);
  CopyInFlight* attached = head.load(std::memory_order_relaxed);
  do {
    lane.copies.oldest->next = attached;
  } while (!head.compare_exchange_weak(attached, lane.copies.youngest, std::memory_order_release,
                                       std::memory_order_relaxed));
  lane.copies = {};
}

// An arrival only releases: two lanes that arrive one after the other are not thereby in order. The last
// one acquires what all released, lands the copies and passes it on to those that wait.
void OsThreadTeam::arrive(Lane&, StageState& stage) {
  note_progress();
  Word arrivals(stage.arrivals);
  const std::uint32_t arrived = arrivals.fetch_add(1, std::memory_order_release) + 1;
  if (arrived % stage.expected != 0) return;
  static_cast<void>(arrivals.load(std::memory_order_acquire));
  const CopyInFlight* copy = CopyHead(stage.attached).exchange(nullptr, std::memory_order_acquire);
  for (; copy; copy = copy->next) land(*copy);
  Word(stage.completed).fetch_add(1, std::memory_order_release);
}

void OsThreadTeam::wait(Lane&, StageState& stage, std::uint32_t parity) {
  // Ever longer pauses: hundreds of lanes that wait and look often would leave no CPU to those that work.
  constexpr std::chrono::microseconds first_pause{50};
  constexpr std::chrono::microseconds longest_pause{5000};
  auto pause = first_pause;
  Word completed(stage.completed);
  std::uint64_t progress_seen = progress_.load(std::memory_order_relaxed);
  auto deadline = std::chrono::steady_clock::now() + patience_;
  while ((completed.load(std::memory_order_acquire) & 1u) == parity) {
    leave_if_failed();
    if (std::chrono::steady_clock::now() > deadline) {
      const std::uint64_t progress = progress_.load(std::memory_order_relaxed);
      if (progress == progress_seen) {
        fail(emulator_deadlock);
        throw Abandoned{};
      }
      progress_seen = progress;
      deadline += patience_;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, longest_pause);
  }
  note_progress();
}

}  // namespace ladder::simt
