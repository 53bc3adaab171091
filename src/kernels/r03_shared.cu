// SPDX-License-Identifier: MIT
// r03_shared — a block stages tiles of A and B in shared memory.
//
// Over r02: every element of A and B is fetched from global memory once a block instead of once a thread;
// the loads that remain in the inner loop go to shared memory.
// Tile: BM x BN x BK = 32 x 32 x 64, one result a thread, 1024 threads; a slab is twice as deep as the tile is
// wide, which halves the barriers and the address arithmetic for each FMA.
// Limit: the same load instructions for each FMA as before, only cheaper; r04 makes them fewer.
// Reference: Boehm 2022, kernel 3.
#include "finish.cuh"
#include "load_tile.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

using Tile = TileShape<32, 32, 64, 1, 1>;

template <Major A_MAJOR, Major B_MAJOR>
struct SharedTiles {
  StagedTile<A_MAJOR, Tile::BM, Tile::BK, Tile::THREADS> a;
  StagedTile<B_MAJOR, Tile::BN, Tile::BK, Tile::THREADS> b;
};

template <Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, resident_blocks<Tile::THREADS>(2))
    sgemm_shared(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue) {
  if (is_beyond(layout)) return;
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate tile
  auto& tile = block_smem<SharedTiles<A_MAJOR, B_MAJOR>>();
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t k_extent = mainloop_k(p, s);
  Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, block.m0, k_extent);
  Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, block.n0, k_extent);
  const int m = static_cast<int>(threadIdx.x) % Tile::BM;
  const int n = static_cast<int>(threadIdx.x) / Tile::BM;
  const bool inside = m < block.rows && n < block.columns;

  // Mainloop: load, sync, store to shared memory, sync, compute
  float sum = 0.0f;
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
      for_each_k<Tile::BK>(k_left, [&](int k) { sum = __fmaf_rn(tile.a.at(m, k), tile.b.at(n, k), sum); });
    }
  }

  // Epilogue
  if (inside) {
    float* c = p.c + block.m0 + m + (block.n0 + n) * p.ldc;
    *c = blend(s, sum, c);
    if (!epilogue.is_plain()) *c = finished(epilogue, p, {product_number(), block.m0 + m, block.n0 + n}, *c);
  }
}

LaunchStatus launch_shared(const GemmProblem& p, Stream stream) {
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_shared<a.value, b.value>, SharedTiles<a.value, b.value>>(tile_count<Tile>(p), Tile::THREADS,
                                                                                 stream, p);
  });
}

}  // namespace

extern const RungKernel r03{Tile::extents, launch_shared};

}  // namespace ladder::LADDER_DEVICE
