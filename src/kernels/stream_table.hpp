// SPDX-License-Identifier: MIT
// What belongs to each of the streams that a program launches on.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "gpu_context.hpp"

namespace ladder::gpu {

inline constexpr int streams_per_context = 32;

/// Any thread. May be constinit where Holding may. Nothing is ever taken out.
template <class Holding>
class StreamTable {
 public:
  /// What belongs to a stream, by the numbers of LaunchStream; null beyond 32 streams of a context. The first call for
  /// it lets fill(holding) do its work before anyone else finds it; later ones take no lock.
  template <class Fill>
  Holding* holding_of(int context, std::uintptr_t stream, const Fill& fill) {
    if (Entry* const entry = find(context, stream)) return &entry->holding;
    const std::lock_guard lock(adding_);
    for (Entry& entry : entries_[context]) {
      const std::uintptr_t found = entry.stream.load(std::memory_order_acquire);
      if (found == stream) return &entry.holding;
      if (found != 0) continue;
      fill(entry.holding);
      entry.stream.store(stream, std::memory_order_release);
      return &entry.holding;
    }
    return nullptr;
  }

 private:
  /// Of a stream, which is written last: a reader that finds its stream finds what belongs to it too.
  struct Entry {
    std::atomic<std::uintptr_t> stream{0};  // 0: free
    Holding holding;
  };

  Entry* find(int context, std::uintptr_t stream) {
    for (Entry& entry : entries_[context]) {
      const std::uintptr_t found = entry.stream.load(std::memory_order_acquire);
      if (found == stream) return &entry;
      if (found == 0) break;
    }
    return nullptr;
  }

  Entry entries_[tracked_contexts][streams_per_context];
  std::mutex adding_;
};

}  // namespace ladder::gpu
