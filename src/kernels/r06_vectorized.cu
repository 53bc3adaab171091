// SPDX-License-Identifier: MIT
// r06_vectorized — 128-bit accesses, K-major tiles transposed on the way in.
//
// Over r05: every access moves four floats, so a quarter of the load and store instructions remains. For
// that, a tile has one row for each k (a k-major operand is transposed on the way in), and a thread's 8 x 8
// results are two quads of rows by two quads of columns, so that lanes read neighbouring quads.
// Tile: BM x BN x BK = 128 x 128 x 8, thread tile 8 x 8, 256 threads.
// Limit: the transposing stores meet in half of the banks (see padded, swizzled); every slab is waited for.
// Reference: Boehm 2022, kernel 6. The body is in vectorized_tile.cuh.
#include "vectorized_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<128, 128, 8, 8, 8>;

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(2))
    sgemm_vectorized(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  compute_vectorized_tile<Tile, PlainRows, A_MAJOR, B_MAJOR>(first, layout, epilogue);
}

LaunchStatus launch_vectorized(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_vectorized<a.value, b.value>, VectorizedTiles<Tile, PlainRows, a.value, b.value>>(
        tile_count<Tile>(p), Tile::THREADS, stream, p);
  });
}

}  // namespace

extern const RungKernel r06{Tile::extents, launch_vectorized};

}  // namespace ladder::LADDER_DEVICE
