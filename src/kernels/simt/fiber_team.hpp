// SPDX-License-Identifier: MIT
// A block whose threads are fibers of one OS thread. A lane runs until it has to wait; then the next one
// that can go on does, round robin. When none can, the block is stuck and the launch fails.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "emulator.hpp"
#include "fiber.hpp"
#include "lane.hpp"
#include "shared_memory.hpp"

namespace ladder::simt {

/// Threads that meet: the block, or one warp.
struct Meeting {
  std::uint32_t members = 0;
  std::uint32_t arrived = 0;
  std::uint32_t generation = 0;
  std::uint32_t exited = 0;
};

/// What a lane waits at.
enum class WaitKind : std::uint8_t { block, warp, stage };

class FiberTeam final : public Team {
 public:
  FiberTeam() : fibers_(&FiberTeam::serve, this) {}
  ~FiberTeam() override;

  /// Throws std::bad_alloc. Must come before run_block().
  void start_launch(const Grid& grid);

  /// Runs one block of the launch. After a failure the team is ready for another launch.
  LaunchStatus run_block(std::int64_t block);

  [[gnu::flatten]] void sync_block(Lane& lane) override { meet(lane, block_meeting_, WaitKind::block); }
  [[gnu::flatten]] void sync_warp(Lane& lane) override { meet(lane, warp_of(lane), WaitKind::warp); }
  CopyInFlight* take_copy(Lane& lane) override;
  void arrive(Lane& lane, StageState& stage) override;
  void attach_copies(Lane& lane, StageState& stage) override;
  void wait(Lane& lane, StageState& stage, std::uint32_t parity) override;
  void fail(LaunchStatus status) override;

 private:
  // One cache line: the scheduler walks over these all the time.
  struct alignas(64) Member : Lane {
    Fiber* fiber = nullptr;               // set from its start to its exit
    const std::uint32_t* word = nullptr;  // it waits until this is no longer `seen`
    std::uint32_t seen = 0;
    WaitKind kind = WaitKind::block;
  };

  static void serve(void* team, Fiber& self);
  void run_unstarted_members(Fiber& self);
  void exit_member(Member& member);
  void reset_block(std::int64_t block);
  void unwind_members();

  Meeting& warp_of(const Lane& lane) { return warp_meetings_[lane.thread_index.x / lanes_per_warp]; }
  void meet(Lane& lane, Meeting& meeting, WaitKind kind);
  void wait_until_changed(Lane& lane, const std::uint32_t& word, WaitKind kind);
  Fiber& next_fiber(const Member* after);
  Member* next_ready(int after);
  LaunchStatus why_stuck();
  bool misses_a_member(const Member& member);

  const Grid* grid_ = nullptr;
  int threads_ = 0;
  int started_ = 0;
  int running_ = 0;  // started or not, and not exited
  const Member* last_ = nullptr;
  bool closing_ = false;
  LaunchStatus status_ = launch_ok;

  Meeting block_meeting_;
  std::array<Meeting, largest_block / lanes_per_warp> warp_meetings_;
  std::vector<Member> members_;
  SharedMemory smem_;

  // Storage of copies in flight: all of it is free again when a block ends.
  static constexpr std::size_t copies_per_chunk = 256;
  std::vector<std::unique_ptr<CopyInFlight[]>> copy_chunks_;
  std::size_t copies_used_ = 0;
  CopyInFlight* landed_ = nullptr;

  FiberPool fibers_;
};

}  // namespace ladder::simt
