// SPDX-License-Identifier: MIT
// r04_thread_tile_1d — a thread computes a column of results.
//
// Over r03: TM results of one column share the element of B they need, so an FMA costs little more than
// half the shared loads; a warp's lanes own neighbouring columns, and read the same elements of A.
// Tile: BM x BN x BK = 64 x 64 x 8, thread tile 8 x 1, 512 threads.
// Limit: each element of A that a thread reads still serves one FMA only; r05 grows the column to a square.
// Reference: Boehm 2022, kernel 4; more output a thread instead of more threads: Volkov & Demmel 2008.
#include "finish.cuh"
#include "load_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<64, 64, 8, 8, 1>;

template <Major A_MAJOR, Major B_MAJOR>
struct ColumnTiles {
  StagedTile<A_MAJOR, Tile::BM, Tile::BK, Tile::THREADS> a;
  StagedTile<B_MAJOR, Tile::BN, Tile::BK, Tile::THREADS> b;
};

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(3))
    sgemm_thread_tile_1d(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  if (is_beyond(layout)) return;
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate tile
  auto& tile = block_smem<ColumnTiles<A_MAJOR, B_MAJOR>>();
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t k_extent = mainloop_k(p, s);
  Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, block.m0, k_extent);
  Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, block.n0, k_extent);
  const int m = static_cast<int>(threadIdx.x) / Tile::THREADS_N * Tile::TM;
  const int n = static_cast<int>(threadIdx.x) % Tile::THREADS_N;
  const bool inside = m < block.rows && n < block.columns;

  // Mainloop: load, sync, store to shared memory, sync, compute
  float accum[Tile::TM] = {};
  for (std::int64_t k_left = k_extent; k_left > 0; k_left -= Tile::BK) {
    const auto a_part = tile.a.fetch(a);
    const auto b_part = tile.b.fetch(b);
    a.advance(Tile::BK);
    b.advance(Tile::BK);
    __syncthreads();
    tile.a.deposit(a_part);
    tile.b.deposit(b_part);
    __syncthreads();
    if (inside) {
      for_each_k<Tile::BK, vec>(k_left, [&](int k) {
        const float b_value = tile.b.at(n, k);
#pragma unroll
        for (int i = 0; i < Tile::TM; ++i) accum[i] = __fmaf_rn(tile.a.at(m + i, k), b_value, accum[i]);
      });
    }
  }

  // Epilogue
  if (!inside) return;
  float* c = p.c + block.m0 + m + (block.n0 + n) * p.ldc;
#pragma unroll
  for (int i = 0; i < Tile::TM; ++i) {
    if (m + i < block.rows) c[i] = blend(s, accum[i], c + i);
  }
  if (epilogue.is_plain()) return;
  finish_quads(epilogue, p, product_number(), Tile::TM / vec, [&](int quad) -> QuadPlace {
    return {block.m0 + m + quad * vec, block.n0 + n, block.rows - m - quad * vec};
  });
}

LaunchStatus launch_thread_tile_1d(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_thread_tile_1d<a.value, b.value>, ColumnTiles<a.value, b.value>>(tile_count<Tile>(p),
                                                                                         Tile::THREADS, stream, p);
  });
}

}  // namespace

extern const RungKernel r04{Tile::extents, launch_thread_tile_1d};

}  // namespace ladder::LADDER_DEVICE
