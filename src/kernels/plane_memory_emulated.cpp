// SPDX-License-Identifier: MIT
// Memory for planes of the emulator: a thread's launches come one after the other.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "plane_memory.hpp"

namespace ladder::emulated {

namespace {

constexpr std::size_t facts_bytes = plane_alignment;

// Should the thread launch again after its thread_local objects have died, it makes another one that stays.
constinit thread_local unsigned char* kept = nullptr;
constinit thread_local std::size_t kept_bytes = 0;

void forget() {
  std::free(std::exchange(kept, nullptr));
  kept_bytes = 0;
}

struct Owner {
  ~Owner() { forget(); }
};

}  // namespace

PlaneMemory plane_memory_of(Stream, std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 40;
  if (bytes > most) return {};
  if (kept == nullptr || kept_bytes < bytes) {
    thread_local Owner owner;
    static_cast<void>(&owner);
    forget();
    const std::size_t whole = (bytes + plane_alignment - 1) / plane_alignment * plane_alignment + facts_bytes;
    kept = static_cast<unsigned char*>(std::aligned_alloc(plane_alignment, whole));
    if (kept == nullptr) return {};
    std::memset(kept, 0, facts_bytes);
    kept_bytes = whole - facts_bytes;
  }
  return {kept + facts_bytes, reinterpret_cast<RangeFacts*>(kept)};
}

}  // namespace ladder::emulated
