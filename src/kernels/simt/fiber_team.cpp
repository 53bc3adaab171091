// SPDX-License-Identifier: MIT
#include "fiber_team.hpp"

#include <algorithm>
#include <utility>

namespace ladder::simt {

FiberTeam::~FiberTeam() {
  closing_ = true;
  fibers_.close();
}

void FiberTeam::start_launch(const Grid& grid) {
  grid_ = &grid;
  threads_ = grid.threads;
  smem_.resize(grid.smem_bytes);
  smem = smem_.address();
  block_dim = {static_cast<unsigned>(grid.threads), 1, 1};
  grid_dim = index_of(grid.extents);
  for (int i = static_cast<int>(members_.size()); i < threads_; ++i) {
    Member& member = members_.emplace_back();
    member.thread_index.x = static_cast<unsigned>(i);
    member.team = this;
  }
}

void FiberTeam::reset_block(std::int64_t block) {
  block_index = block_at(grid_dim, block);
  smem_.fill_with_nan();
  started_ = 0;
  running_ = threads_;
  status_ = launch_ok;
  copies_used_ = 0;
  landed_ = nullptr;
  block_meeting_ = {static_cast<std::uint32_t>(threads_)};
  for (int first = 0; first < threads_; first += lanes_per_warp) {
    const int members = std::min(threads_ - first, lanes_per_warp);
    warp_meetings_[static_cast<std::size_t>(first / lanes_per_warp)] = {static_cast<std::uint32_t>(members)};
  }
}

LaunchStatus FiberTeam::run_block(std::int64_t block) {
  reset_block(block);
  switch_fiber(fibers_.home(), fibers_.take());
  if (status_ != launch_ok) unwind_members();
  current_lane = nullptr;
  return status_;
}

void FiberTeam::unwind_members() {
  for (int i = 0; i < started_; ++i) {
    if (Fiber* fiber = members_[static_cast<std::size_t>(i)].fiber) switch_fiber(fibers_.home(), *fiber);
  }
}

// A fiber starts lanes one after another until one of them has to wait: a kernel without barriers needs
// one fiber, whatever the size of its block.
void FiberTeam::serve(void* owner, Fiber& self) {
  FiberTeam& team = *static_cast<FiberTeam*>(owner);
  while (!team.closing_) {
    team.run_unstarted_members(self);
    team.fibers_.give_back(self);
    switch_fiber(self, team.next_fiber(team.last_));
  }
}

void FiberTeam::run_unstarted_members(Fiber& self) {
  while (started_ < threads_ && status_ == launch_ok) {
    Member& member = members_[static_cast<std::size_t>(started_++)];
    member.fiber = &self;
    member.copies = {};
    current_lane = &member;
    try {
      grid_->entry(grid_->argument);
    } catch (const Abandoned&) {
    } catch (const std::bad_alloc&) {
      fail(emulator_no_memory);
    }
    exit_member(member);
  }
}

void FiberTeam::exit_member(Member& member) {
  member.fiber = nullptr;
  --running_;
  last_ = &member;
  ++block_meeting_.exited;
  ++warp_of(member).exited;
}

void FiberTeam::fail(LaunchStatus status) {
  if (status_ == launch_ok) status_ = status;
}

// -- Waiting ------------------------------------------------------------------------------------------

void FiberTeam::meet(Lane& lane, Meeting& meeting, WaitKind kind) {
  if (++meeting.arrived == meeting.members) {
    meeting.arrived = 0;
    ++meeting.generation;
  } else {
    wait_until_changed(lane, meeting.generation, kind);
  }
}

void FiberTeam::wait_until_changed(Lane& lane, const std::uint32_t& word, WaitKind kind) {
  Member& member = static_cast<Member&>(lane);
  member.word = &word;
  member.seen = word;
  member.kind = kind;
  Fiber& next = started_ < threads_ ? fibers_.take() : next_fiber(&member);
  switch_fiber(*member.fiber, next);
  current_lane = &member;
  if (status_ != launch_ok) throw Abandoned{};
}

// The fiber that goes on when lane `after` waits or has exited. A stuck block goes home.
Fiber& FiberTeam::next_fiber(const Member* after) {
  if (running_ == 0 || status_ != launch_ok) return fibers_.home();
  if (Member* ready = next_ready(static_cast<int>(after->thread_index.x))) return *ready->fiber;
  fail(why_stuck());
  return fibers_.home();
}

FiberTeam::Member* FiberTeam::next_ready(int after) {
  int i = after;
  do {
    i = i + 1 == threads_ ? 0 : i + 1;
    Member& member = members_[static_cast<std::size_t>(i)];
    if (member.fiber && *member.word != member.seen) return &member;
  } while (i != after);
  return nullptr;
}

LaunchStatus FiberTeam::why_stuck() {
  const bool diverged = std::any_of(members_.begin(), members_.begin() + threads_,
                                    [this](const Member& member) { return misses_a_member(member); });
  return diverged ? emulator_diverged : emulator_deadlock;
}

// It waits for lanes of which some have exited.
bool FiberTeam::misses_a_member(const Member& member) {
  if (!member.fiber || member.kind == WaitKind::stage) return false;
  return (member.kind == WaitKind::block ? block_meeting_ : warp_of(member)).exited > 0;
}

// -- Stages of a pipeline -----------------------------------------------------------------------------

CopyInFlight* FiberTeam::take_copy(Lane&) {
  if (landed_) return std::exchange(landed_, landed_->next);
  const std::size_t chunk = copies_used_ / copies_per_chunk;
  if (chunk == copy_chunks_.size()) copy_chunks_.push_back(std::make_unique<CopyInFlight[]>(copies_per_chunk));
  return &copy_chunks_[chunk][copies_used_++ % copies_per_chunk];
}

void FiberTeam::attach_copies(Lane& lane, StageState& stage) {
  if (!lane.copies.youngest) return;
  lane.copies.oldest->next = stage.attached;
  stage.attached = lane.copies.youngest;
  lane.copies = {};
}

void FiberTeam::arrive(Lane&, StageState& stage) {
  if (++stage.arrivals % stage.expected != 0) return;
  while (CopyInFlight* copy = stage.attached) {
    land(*copy);
    stage.attached = copy->next;
    copy->next = std::exchange(landed_, copy);
  }
  ++stage.completed;
}

void FiberTeam::wait(Lane& lane, StageState& stage, std::uint32_t parity) {
  if ((stage.completed & 1u) == parity) wait_until_changed(lane, stage.completed, WaitKind::stage);
}

}  // namespace ladder::simt
