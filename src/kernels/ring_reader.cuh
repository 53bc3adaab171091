// SPDX-License-Identifier: MIT
// A consuming warp's way through the ring of slabs: it waits for stages, gives them back, and takes turns. GPU only.
#pragma once

#include "plane_tile.cuh"
#include "wgmma_words.cuh"

namespace ladder::LADDER_DEVICE {

template <class Tile>
class RingReader {
 public:
  __device__ __forceinline__ RingReader(PlaneRing<Tile>& ring, int arrivals_per_warp)
      : ring_(ring),
        arrivals_per_warp_(arrivals_per_warp),
        warpgroup_(of_whole_warp(static_cast<int>(threadIdx.x) / Tile::WARPGROUP)),
        turn_parity_(warpgroup_ == 0 ? 1 : 0) {}

  __device__ __forceinline__ const unsigned char* cells(int stage) const { return ring_.cells[stage]; }
  __device__ __forceinline__ const float* scales(int stage) const { return ring_.scales[stage]; }
  __device__ __forceinline__ int warpgroup() const { return warpgroup_; }

  /// Waits for the next SLABS stages and moves on behind them.
  template <int SLABS>
  __device__ __forceinline__ void take(int (&stages)[SLABS]) {
#pragma unroll
    for (int& stage : stages) {
      stage = cursor_.stage();
      ring_.full[stage].wait(cursor_.parity());
      cursor_.advance();
    }
  }

  /// This warp has read part number `part` of the stages, and if that is the last one, all of them.
  template <int SLABS>
  __device__ __forceinline__ void release(const int (&stages)[SLABS], int part) {
    __syncwarp();
    if (static_cast<int>(threadIdx.x % warp_size) >= arrivals_per_warp_) return;
#pragma unroll
    for (const int stage : stages) ring_.empty[stage][part].arrive();
  }

  /// The warpgroups begin in turn, each when the one before it is half done: so that one has products to go on with
  /// while another promotes. Left alone, they wait for the same slabs and promote all at once.
  __device__ __forceinline__ void await_turn() {
    ring_.turn[warpgroup_].wait(turn_parity_);
    turn_parity_ ^= 1;
  }

  __device__ __forceinline__ void pass_turn() {
    constexpr int warpgroups = Tile::CONSUMERS / Tile::WARPGROUP;
    if (threadIdx.x % Tile::WARPGROUP == 0) ring_.turn[(warpgroup_ + 1) % warpgroups].arrive();
  }

 private:
  PlaneRing<Tile>& ring_;
  int arrivals_per_warp_;
  SlabCursor<Tile> cursor_;
  int warpgroup_;
  std::uint32_t turn_parity_;  // the first warpgroup's first turn is there from the start
};

}  // namespace ladder::LADDER_DEVICE
