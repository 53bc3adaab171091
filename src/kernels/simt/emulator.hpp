// SPDX-License-Identifier: MIT
// Runs the blocks of an emulated launch: who runs them, and in what order.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "grid_extents.hpp"
#include "rung.hpp"

namespace ladder::simt {

/// One launch: blocks of `threads` threads, each thread calling entry(argument).
struct Grid {
  GridExtents extents;
  int threads;
  std::size_t smem_bytes;
  void (*entry)(const void*);
  const void* argument;
  const GemmProblem* problem;  ///< what there is to do, for the estimate of how long it takes
};

enum class Scheduler : std::uint8_t {
  fibers,      ///< a block's threads are fibers of one OS thread, taken in turn; blocks share the CPU's cores
  os_threads,  ///< a block's threads are OS threads, for ThreadSanitizer; one block after another
};

/// How long a wait of Scheduler::os_threads on a StageBarrier lasts, with no lane of the block coming to or passing any
/// barrier meanwhile, before it counts as a deadlock.
inline constexpr std::chrono::milliseconds default_patience{20000};

/// For the launches of the whole process that start after this call. The default is Scheduler::fibers, and
/// Scheduler::os_threads in a build for ThreadSanitizer (which cannot follow fibers).
void set_scheduler(Scheduler scheduler, std::chrono::milliseconds patience = default_patience);

/// Runs every block and returns when all have ended. Any number of OS threads may call it at once.
///
/// Fibers find a deadlock (emulator_deadlock) and a barrier that an exited thread never reaches
/// (emulator_diverged) at once. OS threads find divergence at once and a StageBarrier that never completes
/// after the patience above, or twice of it; threads that wait at different kinds of barrier for each other hang.
LaunchStatus run_grid(const Grid& grid) noexcept;

}  // namespace ladder::simt
