// SPDX-License-Identifier: MIT
// The body that rung 6, its padded and swizzled variants and rung 7 share.
#pragma once

#include "load_tile.cuh"
#include "thread_quads.cuh"

namespace ladder::LADDER_DEVICE {

/// Steps of k unrolled: enough to read one step's fragments under the other's FMAs. More of them make the
/// compiler read further ahead than the registers of two blocks a multiprocessor allow.
inline constexpr int unrolled_k = 2;

template <class Tile, class Rows, Major A_MAJOR, Major B_MAJOR>
struct VectorizedTiles {
  KRowTile<A_MAJOR, Tile::BM, Tile::BK, Tile::THREADS, Rows> a;
  KRowTile<B_MAJOR, Tile::BN, Tile::BK, Tile::THREADS, Rows> b;
};

/// Computes this block's tile of C. A thread's quads are spread over the whole block tile.
template <class Tile, class Rows, Major A_MAJOR, Major B_MAJOR>
__device__ __forceinline__ void compute_vectorized_tile(const GemmProduct& first, const BatchLayout& layout,
                                                        const Epilogue& epilogue) {
  using Tiles = VectorizedTiles<Tile, Rows, A_MAJOR, B_MAJOR>;
  using Results = ThreadQuads<Tile::TM, Tile::TN, Tile::THREADS_M * vec, Tile::THREADS_N * vec>;
  if (is_beyond(layout)) return;
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate tile
  auto& tile = block_smem<Tiles>();
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t k_extent = mainloop_k(p, s);
  Panel<A_MAJOR> a = panel_of_a<A_MAJOR>(p, block.m0, k_extent);
  Panel<B_MAJOR> b = panel_of_b<B_MAJOR>(p, block.n0, k_extent);
  const int thread = static_cast<int>(threadIdx.x);
  Results results(thread % Tile::THREADS_M * vec, thread / Tile::THREADS_M * vec);
  const bool inside = results.inside(block);

  // Mainloop: load, sync, store to shared memory, sync, compute
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
      for_each_k<Tile::BK, unrolled_k>(k_left, [&](int k) { results.multiply_add(tile.a, tile.b, k); });
    }
  }

  // Epilogue
  if (inside) results.template store<Tile>(p, s, block);
  if (inside && !epilogue.is_plain()) results.finish(epilogue, p, block);
}

}  // namespace ladder::LADDER_DEVICE
