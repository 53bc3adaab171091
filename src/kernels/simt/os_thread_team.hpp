// SPDX-License-Identifier: MIT
// A block whose threads are OS threads that meet at std::barrier, so that ThreadSanitizer sees the same
// order between two lanes as CUDA promises, and no more.
#pragma once

#include <atomic>
#include <barrier>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include "emulator.hpp"
#include "lane.hpp"
#include "shared_memory.hpp"

namespace ladder::simt {

/// Threads that meet: the block, or one warp. A lane that exits leaves for good.
class BarrierMeeting {
 public:
  BarrierMeeting(Team& team, int members) : barrier_(members, Completion{this}), team_(&team) {}

  void meet() {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    barrier_.arrive_and_wait();
  }

  void leave() {
    left_.fetch_add(1, std::memory_order_relaxed);
    barrier_.arrive_and_drop();
  }

 private:
  struct Completion {
    BarrierMeeting* meeting;
    void operator()() noexcept { meeting->complete(); }
  };

  void complete() {
    if (waiting_.exchange(0, std::memory_order_relaxed) > 0 && left_.load(std::memory_order_relaxed) > 0)
      team_->fail(emulator_diverged);
  }

  std::barrier<Completion> barrier_;
  Team* team_;
  std::atomic<int> waiting_{0};  // relaxed, like left_: only the barrier may order lanes
  std::atomic<int> left_{0};
};

class OsThreadTeam final : public Team {
 public:
  /// Starts the threads. Throws std::bad_alloc, or std::system_error where the machine has no more threads.
  OsThreadTeam(const Grid& grid, std::chrono::milliseconds patience);
  ~OsThreadTeam() override;

  /// Runs one block. Throws std::bad_alloc before any lane has run.
  LaunchStatus run_block(std::int64_t block);

  void sync_block(Lane& lane) override;
  void sync_warp(Lane& lane) override;
  CopyInFlight* take_copy(Lane& lane) override;
  void arrive(Lane& lane, StageState& stage) override;
  void attach_copies(Lane& lane, StageState& stage) override;
  void wait(Lane& lane, StageState& stage, std::uint32_t parity) override;
  void fail(LaunchStatus status) override;

 private:
  struct Member : Lane {
    std::deque<CopyInFlight> copy_storage;
  };

  BarrierMeeting& warp_of(const Lane& lane) { return *warps_[lane.thread_index.x / lanes_per_warp]; }
  void serve(Member& member);
  void run_member(Member& member);
  void next_turn();
  void leave_if_failed() const;
  void note_progress() { progress_.fetch_add(1, std::memory_order_relaxed); }

  const Grid& grid_;
  std::chrono::milliseconds patience_;
  std::atomic<LaunchStatus> status_{launch_ok};
  std::atomic<std::uint64_t> progress_{0};  // steps of any lane; relaxed, as it must not order lanes
  SharedMemory smem_;
  std::unique_ptr<BarrierMeeting> block_;
  std::vector<std::unique_ptr<BarrierMeeting>> warps_;
  std::vector<Member> members_;

  // A turn of the threads is one block, or the end. Starting them anew for each block would take far
  // longer than the block.
  std::atomic<int> turn_{0};
  std::atomic<int> busy_{0};
  std::atomic<bool> closing_{false};
  std::vector<std::jthread> threads_;
};

}  // namespace ladder::simt
