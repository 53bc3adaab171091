// SPDX-License-Identifier: MIT
#include "gpu_stopwatch.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <thread>

namespace ladder::shim {

struct GpuStopwatch::Lap {
  Pool* pool = nullptr;
  GpuEvent start = nullptr;  // both are null until the lap is first used, and after they were lost
  GpuEvent stop = nullptr;
  Lap* next = nullptr;
  GpuTally* tally = nullptr;  // null: forgotten
  double flops = 0;
};

/// The laps of one context. Those that are neither free nor under way are between start() and hand_in().
struct GpuStopwatch::Pool {
  std::mutex mutex;
  std::array<Lap, most_under_way> laps;
  int touched = 0;  // laps from here on have never been used
  Lap* free = nullptr;
  Lap* oldest = nullptr;  // under way, a queue
  Lap* newest = nullptr;
  int under_way = 0;

  void append(Lap& lap) {
    lap.next = nullptr;
    (newest ? newest->next : oldest) = &lap;
    newest = &lap;
    ++under_way;
  }
  Lap& pop_oldest() {
    Lap& lap = *oldest;
    oldest = lap.next;
    if (oldest == nullptr) newest = nullptr;
    --under_way;
    return lap;
  }
  void release(Lap& lap) {
    lap.next = free;
    free = &lap;
  }
};

void GpuTally::add(double lap_nanoseconds, double lap_flops) {
  laps.fetch_add(1, std::memory_order_relaxed);
  nanoseconds.fetch_add(static_cast<std::uint64_t>(lap_nanoseconds), std::memory_order_relaxed);
  flops.fetch_add(lap_flops, std::memory_order_relaxed);
}

void GpuTally::reset() {
  laps.store(0, std::memory_order_relaxed);
  nanoseconds.store(0, std::memory_order_relaxed);
  flops.store(0, std::memory_order_relaxed);
}

GpuStopwatch::~GpuStopwatch() {
  for (std::atomic<Pool*>& place : pools_) {
    Pool* pool = place.load(std::memory_order_acquire);
    if (pool == nullptr) continue;
    for (int i = 0; i < pool->touched; ++i) drop_events(pool->laps[i]);
    delete pool;
  }
}

// -- The pools ------------------------------------------------------------------------------------------------

/// Null where the context has none, and no memory for one.
GpuStopwatch::Pool* GpuStopwatch::pool_of(int context) {
  if (context < 0) return nullptr;
  std::atomic<Pool*>& place = pools_[context];
  Pool* pool = place.load(std::memory_order_acquire);
  if (pool != nullptr) return pool;
  Pool* made = new (std::nothrow) Pool;
  if (place.compare_exchange_strong(pool, made, std::memory_order_acq_rel)) return made;
  delete made;
  return pool;
}

/// A lap with its two events; null where none is left or there are no events to be had.
GpuStopwatch::Lap* GpuStopwatch::take(Pool& pool) {
  constexpr int looked_at = 2;  // more than the one that comes: those that have ended do not pile up
  const std::lock_guard lock(pool.mutex);
  collect_some(pool, looked_at);
  Lap* lap = pool.free;
  if (lap != nullptr) {
    pool.free = lap->next;
  } else if (pool.touched < most_under_way) {
    lap = &pool.laps[pool.touched++];
    lap->pool = &pool;
  } else {
    return nullptr;
  }
  if (lap->start == nullptr) lap->start = events_.make();
  if (lap->start != nullptr && lap->stop == nullptr) lap->stop = events_.make();
  if (lap->stop != nullptr) return lap;
  pool.release(*lap);
  return nullptr;
}

/// Looks at so many of the laps under way. Streams need not end in the order in which they were given their work: one
/// that has not ended goes to the end of the queue, so that it does not hide the others.
void GpuStopwatch::collect_some(Pool& pool, int laps) {
  for (int left = std::min(laps, pool.under_way); left > 0; --left) {
    Lap& lap = pool.pop_oldest();
    if (settle(lap)) {
      pool.release(lap);
    } else {
      pool.append(lap);
    }
  }
}

/// True where the lap has come to its end, or to a bad one.
bool GpuStopwatch::settle(Lap& lap) {
  const EventState state = events_.state(lap.stop);
  if (state == EventState::pending) return false;
  double nanoseconds = 0;
  if (state == EventState::lost || !events_.elapsed(lap.start, lap.stop, nanoseconds)) {
    drop_events(lap);
  } else if (lap.tally != nullptr) {
    lap.tally->add(nanoseconds, lap.flops);
  }
  return true;
}

void GpuStopwatch::drop_events(Lap& lap) {
  if (lap.start != nullptr) events_.drop(lap.start);
  if (lap.stop != nullptr) events_.drop(lap.stop);
  lap.start = nullptr;
  lap.stop = nullptr;
}

// -- What a lap asks for --------------------------------------------------------------------------------------

GpuStopwatch::Lap* GpuStopwatch::begin(Stream stream, bool& captured) {
  if (abandoned_.load(std::memory_order_relaxed)) return nullptr;
  used_.store(true, std::memory_order_relaxed);
  const int context = events_.context();
  const StreamState state = events_.stream_state(stream);
  captured = state == StreamState::captured;
  if (state != StreamState::runs) return nullptr;
  Pool* pool = pool_of(context);
  Lap* lap = pool ? take(*pool) : nullptr;
  if (lap != nullptr) record_again(lap, stream);
  return lap;
}

/// Records the start; without success the lap goes back, and `lap` becomes null.
void GpuStopwatch::record_again(Lap*& lap, Stream stream) {
  if (events_.record(lap->start, stream)) return;
  drop_events(*lap);
  give_back(lap);
  lap = nullptr;
}

void GpuStopwatch::give_back(Lap* lap) {
  const std::lock_guard lock(lap->pool->mutex);
  lap->pool->release(*lap);
}

void GpuStopwatch::hand_in(Lap* lap, GpuTally& tally, double flops) {
  lap->tally = &tally;
  lap->flops = flops;
  const std::lock_guard lock(lap->pool->mutex);
  lap->pool->append(*lap);
}

// -- What the process asks for --------------------------------------------------------------------------------

void GpuStopwatch::collect(std::chrono::milliseconds patience) {
  constexpr std::chrono::microseconds between_looks{100};
  if (abandoned_.load(std::memory_order_relaxed)) return;
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    bool all_ended = true;
    for (std::atomic<Pool*>& place : pools_) {
      Pool* pool = place.load(std::memory_order_acquire);
      if (pool == nullptr) continue;
      const std::lock_guard lock(pool->mutex);
      collect_some(*pool, most_under_way);
      if (pool->under_way > 0) all_ended = false;
    }
    if (all_ended || std::chrono::steady_clock::now() >= deadline) return;
    std::this_thread::sleep_for(between_looks);
  }
}

void GpuStopwatch::forget() {
  if (abandoned_.load(std::memory_order_relaxed)) return;
  for (std::atomic<Pool*>& place : pools_) {
    Pool* pool = place.load(std::memory_order_acquire);
    if (pool == nullptr) continue;
    const std::lock_guard lock(pool->mutex);
    for (Lap* lap = pool->oldest; lap != nullptr; lap = lap->next) lap->tally = nullptr;
  }
}

void GpuStopwatch::abandon_in_child() {
  if (used_.load(std::memory_order_relaxed)) abandoned_.store(true, std::memory_order_relaxed);
}

// -- GpuLap ---------------------------------------------------------------------------------------------------

GpuLap::~GpuLap() {
  if (lap_ != nullptr) stopwatch_->give_back(lap_);
}

void GpuLap::start(Stream stream) {
  if (stopwatch_ == nullptr) return;
  stream_ = stream;
  stopped_ = false;
  if (lap_ != nullptr) {
    stopwatch_->record_again(lap_, stream);
  } else {
    lap_ = stopwatch_->begin(stream, captured_);
  }
}

void GpuLap::stop() {
  if (lap_ == nullptr) return;
  stopped_ = stopwatch_->events_.record(lap_->stop, stream_);
}

void GpuLap::hand_in(GpuTally& tally, double flops) {
  if (lap_ == nullptr || !stopped_) return;
  stopwatch_->hand_in(lap_, tally, flops);
  lap_ = nullptr;
}

GpuStopwatch& gpu_stopwatch() {
  // Never destroyed: calls may still come while the process ends.
  static GpuStopwatch& stopwatch = *new GpuStopwatch(gpu_events());
  return stopwatch;
}

}  // namespace ladder::shim
