// SPDX-License-Identifier: MIT
// r06p_padded — rung 6 with padded tiles: bank conflicts, measured.
//
// Over r06: each row of a tile is one quad longer than it needs to be. A warp that transposes a k-major
// slab writes to two rows, four apart; they now start half a warp of banks apart instead of in the same bank.
// Tile: BM x BN x BK = 128 x 128 x 8, rows of 132 floats, thread tile 8 x 8, 256 threads.
// Cost: 1/32 more shared memory. What it gains is what the conflicts had cost: see `swizzled` for free.
// Reference: Ruetsch & Micikevicius 2009, "Optimizing Matrix Transpose in CUDA".
#include "vectorized_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<128, 128, 8, 8, 8>;

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(2))
    sgemm_padded(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  compute_vectorized_tile<Tile, PaddedRows, A_MAJOR, B_MAJOR>(first, layout, epilogue);
}

LaunchStatus launch_padded(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_padded<a.value, b.value>, VectorizedTiles<Tile, PaddedRows, a.value, b.value>>(
        tile_count<Tile>(p), Tile::THREADS, stream, p);
  });
}

}  // namespace

extern const RungKernel r06p{Tile::extents, launch_padded};

}  // namespace ladder::LADDER_DEVICE
