// SPDX-License-Identifier: MIT
// The emulator's side of device.cuh.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "cuda_words.hpp"
#include "emulator.hpp"
#include "lane.hpp"

#define LADDER_DEVICE emulated

namespace ladder::emulated {

struct NoSmem;

/// The block's shared memory: NaN in every float until the block has written it.
template <class Smem>
inline Smem& block_smem() {
  return *static_cast<Smem*>(simt::lane().team->smem);
}

/// The same address; a GPU's compiler learns something of it.
template <class Float>
inline Float* in_global_memory(Float* address) {
  return address;
}

/// Copies BYTES (4 or 16, both addresses aligned to it) from global to shared memory. Until a StageBarrier
/// that this thread arrived on with arrive_when_copies_land() completes, or wait_for_copies(), the destination is NaN.
template <int BYTES>
inline void async_copy(float* smem, const float* gmem) {
  static_assert(BYTES == 4 || BYTES == 16, "cp.async moves 4 or 16 bytes here");
  simt::Lane& lane = simt::lane();
  const auto addresses = reinterpret_cast<std::uintptr_t>(smem) | reinterpret_cast<std::uintptr_t>(gmem);
  if (addresses % BYTES != 0) simt::give_up(lane, emulator_fault);
  simt::CopyInFlight* copy = lane.team->take_copy(lane);
  copy->to = smem;
  copy->floats = BYTES / int{sizeof(float)};
  for (int i = 0; i < copy->floats; ++i) {
    copy->value[i] = gmem[i];
    smem[i] = std::numeric_limits<float>::quiet_NaN();
  }
  lane.copies.push(copy);
}

/// Copies the first `bytes` of 16 (0 to 16) as async_copy<16>() does and makes the rest zeros.
inline void async_copy_some(float* smem, const float* gmem, int bytes) {
  constexpr std::uintptr_t alignment = 16;
  simt::Lane& lane = simt::lane();
  const auto addresses = reinterpret_cast<std::uintptr_t>(smem) | reinterpret_cast<std::uintptr_t>(gmem);
  if (addresses % alignment != 0) simt::give_up(lane, emulator_fault);
  simt::CopyInFlight* copy = lane.team->take_copy(lane);
  copy->to = smem;
  copy->floats = simt::largest_copy;
  for (int i = 0; i < copy->floats; ++i) {
    copy->value[i] = i * int{sizeof(float)} < bytes ? gmem[i] : 0.0f;
    smem[i] = std::numeric_limits<float>::quiet_NaN();
  }
  lane.copies.push(copy);
}

/// Ends a group of this thread's async copies, maybe an empty one.
inline void close_copies() { ++simt::lane().copies.group; }

/// Returns when all groups but the LATER last ones have landed.
template <std::uint32_t LATER>
inline void wait_for_copies() {
  simt::CopyList& copies = simt::lane().copies;
  if (copies.group > LATER) copies.land_before(copies.group - LATER);
}

/// A place in the block's shared memory as the target of copies.
class CopyTarget {
 public:
  explicit CopyTarget(float* smem) : smem_(smem) {}
  CopyTarget operator+(int floats) const { return CopyTarget(smem_ + floats); }
  float* smem() const { return smem_; }

 private:
  float* smem_;
};

inline void async_copy_if(bool wanted, CopyTarget target, const float* gmem) {
  if (wanted) async_copy<sizeof(float)>(target.smem(), gmem);
}

inline void async_copy_some(CopyTarget target, const float* gmem, int bytes) {
  async_copy_some(target.smem(), gmem, bytes);
}

/// A 128-bit load; the emulator has no caches to spare.
inline float4 load_once(const float* gmem) {
  if (reinterpret_cast<std::uintptr_t>(gmem) % alignof(float4) != 0) simt::give_up(simt::lane(), emulator_fault);
  return {gmem[0], gmem[1], gmem[2], gmem[3]};
}

inline float4 load_part(const float* gmem) { return load_once(gmem); }

/// Adds 1 to a counter that blocks share and returns what it held before.
inline std::uint32_t take_ticket(std::uint32_t* counter) { return __atomic_fetch_add(counter, 1u, __ATOMIC_ACQ_REL); }

/// Makes a word that blocks share at least `value`.
inline void raise_to(std::uint32_t* word, std::uint32_t value) {
  std::uint32_t held = __atomic_load_n(word, __ATOMIC_RELAXED);
  while (held < value && !__atomic_compare_exchange_n(word, &held, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

/// What such a word holds by now.
inline std::uint32_t latest(const std::uint32_t* word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

/// The value of lane `lane` of this warp. All lanes of the warp together.
inline float shuffle(float value, int lane) {
  simt::Lane& self = simt::lane();
  const unsigned thread = self.thread_index.x;
  float* exchange = self.team->exchange;
  exchange[thread] = value;
  self.team->sync_warp(self);
  const float theirs = exchange[thread - thread % simt::lanes_per_warp + static_cast<unsigned>(lane)];
  self.team->sync_warp(self);
  return theirs;
}

/// The value of the lane whose number differs in the bits of `mask`.
inline float shuffle_xor(float value, int mask) {
  return shuffle(value, static_cast<int>(simt::lane().thread_index.x % simt::lanes_per_warp) ^ mask);
}

/// Barrier of one pipeline stage, in shared memory.
///
/// A phase completes when `arrivals` arrivals have been counted; wait(parity) returns once the phase of
/// that parity (0 first) has completed. Use before init() ends the launch with emulator_fault.
class StageBarrier {
 public:
  void init(int arrivals) { state_ = {nullptr, static_cast<std::uint32_t>(arrivals), 0, 0}; }

  void arrive() {
    simt::Lane& lane = usable_by_lane();
    lane.team->arrive(lane, state_);
  }

  /// Counts as one arrival, made when all earlier async_copy() of this thread have landed.
  void arrive_when_copies_land() {
    simt::Lane& lane = usable_by_lane();
    lane.team->attach_copies(lane, state_);
    lane.team->arrive(lane, state_);
  }

  void wait(std::uint32_t parity) {
    simt::Lane& lane = usable_by_lane();
    lane.team->wait(lane, state_, parity);
  }

  void wait_idly(std::uint32_t parity) { wait(parity); }

 private:
  simt::Lane& usable_by_lane() {
    simt::Lane& lane = simt::lane();
    if (!state_.initialised()) simt::give_up(lane, emulator_fault);
    return lane;
  }

  simt::StageState state_;
};

/// Runs a grid of blocks of `threads` threads before it returns. `stream` has no meaning here.
template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_grid(const GridExtents& grid, int threads, Stream, const GemmProblem& problem, Extra... extra) {
  std::size_t smem_bytes = 0;
  if constexpr (!std::is_same_v<Smem, NoSmem>) {
    static_assert(std::is_trivially_default_constructible_v<Smem>, "shared memory is never constructed");
    smem_bytes = sizeof(Smem);
  }
  const auto call = [&] { kernel(problem, problem, problem, extra...); };
  const auto entry = [](const void* self) { (*static_cast<decltype(&call)>(self))(); };
  return simt::run_grid({grid, threads, smem_bytes, entry, &call, &problem});
}

template <auto kernel, class Smem, class... Extra>
LaunchStatus launch_grid_overlapping(const GridExtents& grid, int threads, Stream stream, const GemmProblem& problem,
                                     Extra... extra) {
  return launch_grid<kernel, Smem>(grid, threads, stream, problem, extra...);
}

/// Launches run one after the other here.
inline void wait_for_previous_launch() {}
inline void let_next_launch_begin() {}

}  // namespace ladder::emulated
