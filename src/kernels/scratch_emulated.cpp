// SPDX-License-Identifier: MIT
// Scratch memory of the emulator: a thread's launches come one after the other.
#include <cstdlib>
#include <utility>

#include "scratch.hpp"

namespace ladder::emulated {

namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t parts_bytes = scratch_floats * sizeof(float);
constexpr std::size_t ticket_bytes = scratch_tickets * sizeof(std::uint32_t);

// Should the thread launch again after its thread_local objects have died, it makes another one that stays.
constinit thread_local char* kept = nullptr;

struct Owner {
  ~Owner() { std::free(std::exchange(kept, nullptr)); }
};

}  // namespace

Scratch scratch_of(Stream, std::int64_t floats) {
  if (floats > scratch_floats) return {};
  if (kept == nullptr) {
    thread_local Owner owner;
    static_cast<void>(&owner);
    kept = static_cast<char*>(std::calloc(parts_bytes + ticket_bytes + alignment, 1));  // pages come when touched
    if (kept == nullptr) return {};
  }
  const auto address = (reinterpret_cast<std::uintptr_t>(kept) + alignment - 1) / alignment * alignment;
  char* memory = reinterpret_cast<char*>(address);
  return {reinterpret_cast<float*>(memory), reinterpret_cast<std::uint32_t*>(memory + parts_bytes)};
}

}  // namespace ladder::emulated
