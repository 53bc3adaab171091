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

/// Copies BYTES (4 or 16, both addresses aligned to it) from global to shared memory. Until a StageBarrier
/// that this thread arrived on with arrive_when_copies_land() completes, the destination is NaN.
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

/// Runs `tiles` blocks of `threads` threads for each product of the batch before it returns. `stream` has no meaning
/// here.
template <auto kernel, class Smem>
LaunchStatus launch(std::int64_t tiles, int threads, Stream, const GemmProblem& problem) {
  std::size_t smem_bytes = 0;
  if constexpr (!std::is_same_v<Smem, NoSmem>) {
    static_assert(std::is_trivially_default_constructible_v<Smem>, "shared memory is never constructed");
    smem_bytes = sizeof(Smem);
  }
  return simt::run_grid(
      {grid_extents(tiles, problem.batch), threads, smem_bytes, [](const GemmProblem& p) { kernel(p, p); }, &problem});
}

}  // namespace ladder::emulated
