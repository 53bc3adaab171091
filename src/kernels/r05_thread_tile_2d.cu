// SPDX-License-Identifier: MIT
// r05_thread_tile_2d — a thread computes a square of results: an outer product in registers.
//
// Over r04: results per thread grow from a column to a square, so each value read from shared memory
// feeds TM (or TN) FMAs instead of one.
// Tile: BM x BN x BK = 128 x 128 x 8, thread tile 8 x 8, 256 threads.
// Limit: global memory is read a float at a time, and fragments lie in shared memory as they lay in global
//        memory, so that lanes collide in a bank; r06 vectorises both.
// Reference: Boehm 2022, kernel 5; Volkov & Demmel 2008.
#include "finish.cuh"
#include "load_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<128, 128, 8, 8, 8>;

template <Major A_MAJOR, Major B_MAJOR>
struct SquareTiles {
  StagedTile<A_MAJOR, Tile::BM, Tile::BK, Tile::THREADS> a;
  StagedTile<B_MAJOR, Tile::BN, Tile::BK, Tile::THREADS> b;
};

template <class Tiles>
__device__ __forceinline__ void outer_product(float (&accum)[Tile::TN][Tile::TM], const Tiles& tile, int m, int n,
                                              int k) {
  float a_frag[Tile::TM];
  float b_frag[Tile::TN];
#pragma unroll
  for (int i = 0; i < Tile::TM; ++i) a_frag[i] = tile.a.at(m + i, k);
#pragma unroll
  for (int j = 0; j < Tile::TN; ++j) b_frag[j] = tile.b.at(n + j, k);
#pragma unroll
  for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) accum[j][i] = __fmaf_rn(a_frag[i], b_frag[j], accum[j][i]);
  }
}

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(2))
    sgemm_thread_tile_2d(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  if (is_beyond(layout)) return;
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate tile
  auto& tile = block_smem<SquareTiles<A_MAJOR, B_MAJOR>>();
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t k_extent = mainloop_k(p, s);
  Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, block.m0, k_extent);
  Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, block.n0, k_extent);
  const int m = static_cast<int>(threadIdx.x) % Tile::THREADS_M * Tile::TM;
  const int n = static_cast<int>(threadIdx.x) / Tile::THREADS_M * Tile::TN;
  const bool inside = m < block.rows && n < block.columns;

  // Mainloop: load, sync, store to shared memory, sync, compute
  float accum[Tile::TN][Tile::TM] = {};
  for (std::int64_t k_left = k_extent; k_left > 0; k_left -= Tile::BK) {
    const auto a_part = tile.a.fetch(a);
    const auto b_part = tile.b.fetch(b);
    a.advance(Tile::BK);
    b.advance(Tile::BK);
    __syncthreads();
    tile.a.deposit(a_part);
    tile.b.deposit(b_part);
    __syncthreads();
    if (inside) for_each_k<Tile::BK, vec>(k_left, [&](int k) { outer_product(accum, tile, m, n, k); });
  }

  // Epilogue
  if (!inside) return;
  float* c = p.c + block.m0 + m + (block.n0 + n) * p.ldc;
#pragma unroll
  for (int j = 0; j < Tile::TN; ++j, c += p.ldc) {
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) {
      if (m + i < block.rows && n + j < block.columns) c[i] = blend(s, accum[j][i], c + i);
    }
  }
  if (epilogue.is_plain()) return;
  constexpr int M_QUADS = Tile::TM / vec;
  finish_quads(epilogue, p, product_number(), M_QUADS * Tile::TN, [&](int quad) -> QuadPlace {
    const int row = m + quad % M_QUADS * vec;
    const int column = n + quad / M_QUADS;
    return {block.m0 + row, block.n0 + column, column < block.columns ? block.rows - row : 0};
  });
}

LaunchStatus launch_thread_tile_2d(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_thread_tile_2d<a.value, b.value>, SquareTiles<a.value, b.value>>(tile_count<Tile>(p),
                                                                                         Tile::THREADS, stream, p);
  });
}

}  // namespace

extern const RungKernel r05{Tile::extents, launch_thread_tile_2d};

}  // namespace ladder::LADDER_DEVICE
