// SPDX-License-Identifier: MIT
// Threads of ours that copy between a caller's matrices and pinned memory, many pieces at a time: one core moves a
// quarter of what the bus does.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "offload/core_set.hpp"

namespace ladder::shim {

/// `lines` lines of `width` bytes, a pitch apart on either side; host memory on both.
struct HostCopy {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t lines;
};

/// Past the caches: the bus reads the copy, or nobody does soon. What it wrote is visible to others when it returns.
/// Where the lines of `to` begin on cache lines it does best.
void copy_past_caches(const HostCopy& copy);

/// A copy and whether it has been made. It belongs to whoever waits for it, and must stay until `done`.
struct CopyJob {
  HostCopy copy;
  std::atomic<bool> done{false};  ///< release after the copy, acquire before its bytes are read
  CopyJob* next = nullptr;        ///< the team's own, as long as it has the job
};

/// What a thread that waits for its jobs remembers between two looks at whether it should lend a hand.
struct SpareHand {
  std::optional<std::chrono::steady_clock::time_point> wanted_since;
};

/// The threads start with the first job and stay, asleep. Signals of the program go to the program's own threads.
/// Any thread may submit. Where the system gives no threads at all, submit() makes the copy itself.
class CopyTeam {
 public:
  /// `cores`: that the threads run on; null: all that the process may use.
  explicit CopyTeam(int threads, const CoreSet* cores = nullptr);
  /// Makes what was submitted. In a child that was abandoned them it waits for nobody.
  ~CopyTeam();
  CopyTeam(const CopyTeam&) = delete;
  CopyTeam& operator=(const CopyTeam&) = delete;

  /// First come, first copied. Allocates nothing once the threads are there.
  void submit(CopyJob& job);

  /// Makes a job on the calling thread, if one has been waiting for long although not all threads are at work: these
  /// have not been given a core. False where there was none. `hand` is the caller's own, from call to call.
  bool help(SpareHand& hand);

  /// In a forked child, which has none of the threads: from now on submit() makes the copies itself. Touches no lock.
  void abandon_in_child() { abandoned_.store(true, std::memory_order_relaxed); }

 private:
  void start();
  bool enqueue(CopyJob& job);
  CopyJob* take();
  void await_job();
  void serve();

  const int wanted_;
  const CoreSet* const cores_;
  std::atomic<int> threads_started_{0};
  std::atomic<int> at_work_{0};  // threads that make a job
  std::mutex mutex_;
  // One for each job; not a condition variable, which cannot be destroyed where its waiters are missing.
  sem_t waiting_;
  CopyJob* oldest_ = nullptr;
  CopyJob* newest_ = nullptr;
  std::atomic<bool> abandoned_{false};
  std::vector<std::thread> threads_;
};

}  // namespace ladder::shim
