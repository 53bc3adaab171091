// SPDX-License-Identifier: MIT
// r06s_swizzled — rung 6 with XOR-swizzled tiles: bank conflicts, measured.
//
// Over r06: in every second group of four rows the halves of each 32 floats change places. A warp that
// transposes a k-major slab writes to two rows, one of either kind, and so to all banks once.
// Tile: BM x BN x BK = 128 x 128 x 8, thread tile 8 x 8, 256 threads.
// Cost: an XOR in the addresses, and no shared memory: the same cure as `padded`, paid otherwise.
// Reference: NVIDIA CUTLASS, permuted shared memory layouts.
#include "vectorized_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<128, 128, 8, 8, 8>;

struct SwizzledRows {
  static constexpr int SKEW = 0;
  static constexpr int PERIOD = warp_size;
  static __device__ __forceinline__ int column(int mn, int k) { return mn ^ (k / vec % 2 * (PERIOD / 2)); }
};

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(2))
    sgemm_swizzled(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  compute_vectorized_tile<Tile, SwizzledRows, A_MAJOR, B_MAJOR>(first, layout, epilogue);
}

LaunchStatus launch_swizzled(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_swizzled<a.value, b.value>, VectorizedTiles<Tile, SwizzledRows, a.value, b.value>>(
        tile_count<Tile>(p), Tile::THREADS, stream, p);
  });
}

}  // namespace

extern const RungKernel r06s{Tile::extents, launch_swizzled};

}  // namespace ladder::LADDER_DEVICE
