// SPDX-License-Identifier: MIT
#include "emulator.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "fiber_team.hpp"
#include "lane.hpp"
#include "os_thread_team.hpp"

namespace ladder::simt {

constinit thread_local Lane* current_lane = nullptr;

void give_up(Lane& lane, LaunchStatus status) {
  lane.team->fail(status);
  throw Abandoned{};
}

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr Scheduler default_scheduler = Scheduler::os_threads;
#else
constexpr Scheduler default_scheduler = Scheduler::fibers;
#endif

std::atomic<Scheduler> chosen_scheduler{default_scheduler};
std::atomic<std::chrono::milliseconds> chosen_patience{default_patience};

bool cpu_runs_kernels() {
#if defined(__x86_64__)
  static const bool able = __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  return able;
#else
  return true;
#endif
}

// -- Fibers -------------------------------------------------------------------------------------------

// The calling thread's team, with its stacks, is kept for its next launch. Should the thread launch again
// after its thread_local objects have died (from an atexit handler), it makes another one that stays.
constinit thread_local FiberTeam* kept_team = nullptr;

struct TeamOwner {
  ~TeamOwner() { delete std::exchange(kept_team, nullptr); }
};

FiberTeam& team_of_this_thread() {
  if (!kept_team) {
    thread_local TeamOwner owner;
    static_cast<void>(&owner);
    kept_team = new FiberTeam;
  }
  return *kept_team;
}

// Starting a thread and giving it stacks costs some tens of microseconds to half a millisecond; even asking
// for the number of cores costs as much as a small block.
int useful_workers(const Grid& grid) {
  constexpr double ns_per_thread = 50.0;
  constexpr double ns_per_multiply_add = 1.0;
  constexpr double ns_worth_a_worker = 1.0e6;
  const GemmProblem& p = *grid.problem;
  const auto blocks = static_cast<double>(grid.extents.blocks());
  const double work_ns = ns_per_thread * blocks * grid.threads +
                         ns_per_multiply_add * static_cast<double>(p.m) * static_cast<double>(p.n) *
                             static_cast<double>(p.k) * static_cast<double>(p.batch);
  const double useful = std::min(blocks, work_ns / ns_worth_a_worker);
  if (useful < 2.0) return 1;
  return static_cast<int>(std::min(useful, static_cast<double>(std::max(1u, std::thread::hardware_concurrency()))));
}

// The blocks of a launch, handed out one by one to whoever asks.
struct BlockQueue {
  const Grid& grid;
  std::atomic<std::int64_t> next{0};
  std::atomic<LaunchStatus> status{launch_ok};

  void fail(LaunchStatus reason) {
    LaunchStatus none = launch_ok;
    status.compare_exchange_strong(none, reason);
  }

  void work() noexcept {
    try {
      FiberTeam& team = team_of_this_thread();
      team.start_launch(grid);
      while (status.load(std::memory_order_relaxed) == launch_ok) {
        const std::int64_t block = next.fetch_add(1, std::memory_order_relaxed);
        if (block >= grid.extents.blocks()) return;
        if (const LaunchStatus result = team.run_block(block); result != launch_ok) fail(result);
      }
    } catch (const std::bad_alloc&) {
      fail(emulator_no_memory);
    }
  }
};

// Worker threads live for one launch only, so that a fork() finds none. Signals stay with the program's
// own threads. Where the system gives no more threads, those that exist do the work.
LaunchStatus run_on_fibers(const Grid& grid) {
  BlockQueue queue{grid};
  const int helpers = useful_workers(grid) - 1;
  std::vector<std::jthread> threads;
  if (helpers > 0) {
    threads.reserve(static_cast<std::size_t>(helpers));
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (int i = 0; i < helpers; ++i) threads.emplace_back([&queue] { queue.work(); });
    } catch (const std::system_error&) {
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  queue.work();
  threads.clear();  // joins
  return queue.status.load();
}

// -- OS threads ---------------------------------------------------------------------------------------

LaunchStatus run_on_os_threads(const Grid& grid) {
  OsThreadTeam team(grid, chosen_patience.load());
  for (std::int64_t block = 0; block < grid.extents.blocks(); ++block) {
    if (const LaunchStatus status = team.run_block(block); status != launch_ok) return status;
  }
  return launch_ok;
}

}  // namespace

void set_scheduler(Scheduler scheduler, std::chrono::milliseconds patience) {
  chosen_scheduler.store(scheduler);
  chosen_patience.store(patience);
}

LaunchStatus run_grid(const Grid& grid) noexcept {
  if (!cpu_runs_kernels()) return emulator_no_fma;
  if (!is_launchable(grid.extents) || grid.threads < 1 || grid.threads > largest_block) return emulator_fault;
  try {
    return chosen_scheduler.load() == Scheduler::fibers ? run_on_fibers(grid) : run_on_os_threads(grid);
  } catch (const std::bad_alloc&) {
    return emulator_no_memory;
  } catch (const std::system_error&) {
    return emulator_no_memory;
  }
}

}  // namespace ladder::simt
