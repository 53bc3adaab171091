// SPDX-License-Identifier: MIT
// A stream of the GPU that FakeGpuDevice plays: a thread that does what was enqueued, in order, and keeps a record.
//
// Nothing that the thread does is a synchronization towards the host but the end of a task, for who asks for it: no
// lock is shared, and orders that do not matter are relaxed, so that ThreadSanitizer finds a host that looks too early.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "fake_memory.hpp"
#include "rung.hpp"

namespace ladder::test {

/// What a stream does.
enum class Work : std::uint8_t { copy_to_device, copy_to_host, copy_on_device, run, record, wait };

/// One thing that a stream did. Beginnings and ends have numbers of one clock that goes up by one each time.
struct WorkEntry {
  Work work;
  int stream;  ///< in the order in which they were made, from 0
  int call;    ///< the number of the call that enqueued it
  std::int64_t began;
  std::int64_t ended;
  std::size_t bytes;     ///< of a copy
  const void* to;        ///< of a copy; C of a run
  const void* from;      ///< of a copy
  std::int64_t m, n, k;  ///< of a run
  const Rung* rung;      ///< of a run
};

inline bool overlap(const WorkEntry& x, const WorkEntry& y) { return x.began < y.ended && y.began < x.ended; }

/// What the streams of a device have in common.
struct FakeClock {
  std::atomic<std::int64_t> now{0};
  std::atomic<bool> held{false};  ///< what has begun, or begins, is not done yet
  std::atomic<bool> lost{false};  ///< nothing is done any more: what is enqueued ends without having been done

  std::int64_t tick() { return now.fetch_add(1, std::memory_order_relaxed); }
};

struct StreamTask {
  WorkEntry entry{};
  std::function<void()> action;  ///< on the stream's thread; may be empty
  std::vector<Touched> touches;
  std::chrono::microseconds delay{0};  ///< before the action
  bool loses_device = false;           ///< from its beginning on
  const StreamTask* after = nullptr;   ///< of any stream: the action waits for its end

  std::atomic<bool> ended{false};  ///< release; acquire it to see what the task did
  std::atomic<StreamTask*> next{nullptr};
};

/// Sees what it did.
void wait_for(const StreamTask& task);

/// All but its thread's part is for one host thread at a time.
class FakeStream {
 public:
  FakeStream(FakeClock& clock, int number, int context);
  /// Does what is left.
  ~FakeStream();
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;

  int number() const { return number_; }
  int context() const { return context_; }

  /// A task to fill in for enqueue(); it stays where it is as long as the stream.
  StreamTask& make_task();
  void enqueue(StreamTask& task);
  /// The one that was enqueued last, or one that has ended.
  const StreamTask& last() const { return *last_; }
  const std::deque<StreamTask>& tasks() const { return tasks_; }

  /// Whether anything that has not ended touches this memory; null: whether there is anything. Synchronizes nothing.
  bool busy_with(const Touched* memory);

 private:
  void serve();
  void carry_out(StreamTask& task);

  FakeClock& clock_;
  const int number_;
  const int context_;
  std::deque<StreamTask> tasks_;
  std::size_t oldest_under_way_ = 0;
  StreamTask origin_;
  StreamTask* last_ = &origin_;
  sem_t enqueued_;
  std::thread thread_;
};

}  // namespace ladder::test
