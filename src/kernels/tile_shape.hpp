// SPDX-License-Identifier: MIT
// The tile parameters of a rung and everything that follows from them.
#pragma once

#include <cstdint>

#include "device.cuh"
#include "grid_extents.hpp"

namespace ladder::LADDER_DEVICE {

/// A block computes BM x BN of C, stepping through K by BK with STAGES slabs in shared memory;
/// each of its threads computes TM x TN.
template <int BM_, int BN_, int BK_, int TM_, int TN_, int STAGES_ = 1>
struct TileShape {
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int BK = BK_;
  static constexpr int TM = TM_;
  static constexpr int TN = TN_;
  static constexpr int STAGES = STAGES_;
  static constexpr int THREADS_M = BM / TM;
  static constexpr int THREADS_N = BN / TN;
  static constexpr int THREADS = THREADS_M * THREADS_N;
  static constexpr TileExtents extents{BM, BN, BK, STAGES};

  static_assert(BM > 0 && BN > 0 && BK > 0 && TM > 0 && TN > 0 && STAGES > 0, "a tile has no empty side");
  static_assert(BM % TM == 0, "the thread tiles must cover the block tile's rows exactly");
  static_assert(BN % TN == 0, "the thread tiles must cover the block tile's columns exactly");
  static_assert(THREADS % warp_size == 0, "a block is made of whole warps");
  static_assert(THREADS <= 1024, "a block has at most 1024 threads");
};

/// The same with a WM x WN warp tile between block and thread. A thread's TM x TN results are quads
/// of rows and quads of columns, spread over the warp tile (see WarpTileShape::LANES_M).
template <int BM, int BN, int BK, int WM_, int WN_, int TM, int TN, int STAGES = 1>
struct WarpTileShape : TileShape<BM, BN, BK, TM, TN, STAGES> {
  static constexpr int WM = WM_;
  static constexpr int WN = WN_;
  static constexpr int WARPS_M = BM / WM;
  static constexpr int WARPS_N = BN / WN;
  static constexpr int WARPS = WARPS_M * WARPS_N;
  static constexpr int LANES_M = WM / TM;
  static constexpr int LANES_N = WN / TN;

  static_assert(BM % WM == 0, "the warp tiles must cover the block tile's rows exactly");
  static_assert(BN % WN == 0, "the warp tiles must cover the block tile's columns exactly");
  static_assert(WM % TM == 0 && WN % TN == 0, "the thread tiles must cover the warp tile exactly");
  static_assert(LANES_M * LANES_N == warp_size, "the warp tile holds one thread tile a lane");
  static_assert(TM % vec == 0, "a lane's rows are read as 128-bit quads");
  static_assert(TN % vec == 0, "a lane's columns are read as 128-bit quads");
};

}  // namespace ladder::LADDER_DEVICE
