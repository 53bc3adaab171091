// SPDX-License-Identifier: MIT
// The product of two images of planes on the tensor cores of any GPU since sm_80, and in the emulator: a block a tile
// of C; while the tensor cores multiply a chunk of k, the next one is on its way to shared memory. An image lies in
// memory as shared memory wants it, so a slab of a tile is two pieces of it. Order of a sum: chunk by chunk along k.
#pragma once

#include "mma_sums.cuh"
#include "range_facts.cuh"

namespace ladder::LADDER_DEVICE {

/// The rows of both images that a block's tile needs, as far as C goes.
template <class Tile>
class MmaFeed {
 public:
  __device__ __forceinline__ MmaFeed(const SplitOperands& planes, const BlockTile& block, std::int64_t product)
      : a_(planes.a.cells + product * planes.a.product_bytes + cells_before(block.m0)),
        b_(planes.b.cells + product * planes.b.product_bytes + cells_before(block.n0)),
        a_slab_bytes_(planes.a.row_cells * std::int64_t{Tile::layout.cell_bytes}),
        b_slab_bytes_(planes.b.row_cells * std::int64_t{Tile::layout.cell_bytes}),
        a_piece_bytes_(piece_bytes(block.rows, Tile::BM)),
        b_piece_bytes_(piece_bytes(block.columns, Tile::BN)) {
    if constexpr (Tile::SCALED) {
      a_scales_ = planes.a.scales + product * planes.a.product_scales + block.m0;
      b_scales_ = planes.b.scales + product * planes.b.product_scales + block.n0;
      a_rows_ = planes.a.rows();
      b_rows_ = planes.b.rows();
    }
  }

  /// Begins to copy chunk number `chunk`, of `slabs` slabs. Ends the group of copies even if there are none.
  __device__ __forceinline__ void copy_chunk(MmaStages<Tile>& stages, std::int64_t chunk, int slabs) const {
    const int stage = static_cast<int>(chunk % Tile::STAGES);
#pragma unroll
    for (int i = 0; i < Tile::CHUNK_SLABS; ++i) {
      if (i >= slabs) continue;
      const std::int64_t slab = chunk * Tile::CHUNK_SLABS + i;
      unsigned char* const to = stages.cells[stage][i];
      copy_piece<Tile::B_BYTES>(to, b_ + slab * b_slab_bytes_, b_piece_bytes_);
      copy_piece<Tile::A_BYTES>(to + Tile::B_BYTES, a_ + slab * a_slab_bytes_, a_piece_bytes_);
    }
    if constexpr (Tile::SCALED) {
      const int first = static_cast<int>(threadIdx.x) * vec;
      float* const to = stages.scales[stage] + first;
      if (slabs > 0 && first < Tile::BN) {
        async_copy<chunk_bytes>(to, b_scales_ + chunk * b_rows_ + first);
      } else if (slabs > 0 && first < Tile::BN + Tile::BM) {
        async_copy<chunk_bytes>(to, a_scales_ + chunk * a_rows_ + first - Tile::BN);
      }
    }
    close_copies();
  }

 private:
  static __device__ __forceinline__ std::int64_t cells_before(std::int64_t row) {
    return row / rows_of_cell * Tile::layout.cell_bytes;
  }

  /// What of a tile of `most` rows there is in C, to the end of a cell.
  static __device__ __forceinline__ int piece_bytes(int rows, int most) {
    return ((rows < most ? rows : most) + rows_of_cell - 1) / rows_of_cell * Tile::layout.cell_bytes;
  }

  template <int BYTES>
  static __device__ __forceinline__ void copy_piece(unsigned char* to, const unsigned char* from, int bytes) {
    constexpr int round = Tile::THREADS * chunk_bytes;
    static_assert(BYTES % round == 0, "all threads copy alike");
    const int mine = static_cast<int>(threadIdx.x) * chunk_bytes;
#pragma unroll
    for (int at = 0; at < BYTES; at += round) {
      if (at + mine >= bytes) continue;
      async_copy<chunk_bytes>(reinterpret_cast<float*>(to + at + mine),
                              reinterpret_cast<const float*>(from + at + mine));
    }
  }

  const unsigned char* a_;
  const unsigned char* b_;
  std::int64_t a_slab_bytes_;
  std::int64_t b_slab_bytes_;
  int a_piece_bytes_;
  int b_piece_bytes_;
  const float* a_scales_ = nullptr;
  const float* b_scales_ = nullptr;
  std::int64_t a_rows_ = 0;
  std::int64_t b_rows_ = 0;
};

/// Runs where `gate` lets it; all it multiplies has been written by the launch before.
template <class Tile>
__global__ void __launch_bounds__(Tile::THREADS, 1)
    multiply_planes(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue,
                    const SplitOperands planes, const Gate gate) {
  let_next_launch_begin();
  wait_for_previous_launch();
  if (is_beyond(layout) || !is_served<Tile::FORMAT>(gate, planes.facts, first.k)) return;
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p, epilogue);
  if (leaves_c_alone(s, epilogue)) return;

  // Locate block tile, warp tile
  auto& stages = block_smem<MmaStages<Tile>>();
  const BlockTile block = locate_tile<Tile>(p);
  const std::int64_t slabs = s.alpha == 0.0f ? 0 : planes.a.slabs;
  const auto slabs_of_chunk = [slabs](std::int64_t chunk) {
    const std::int64_t left = slabs - chunk * Tile::CHUNK_SLABS;
    return static_cast<int>(left < Tile::CHUNK_SLABS ? left : Tile::CHUNK_SLABS);
  };
  const MmaFeed<Tile> feed(planes, block, product_number());
  MmaSums<Tile> sums(block);
  const bool inside = sums.inside();

  // Mainloop: wait for a chunk, send for another one, multiply
  for (int chunk = 0; chunk < Tile::STAGES - 1; ++chunk) feed.copy_chunk(stages, chunk, slabs_of_chunk(chunk));
#pragma unroll 1
  for (std::int64_t chunk = 0; chunk * Tile::CHUNK_SLABS < slabs; ++chunk) {
    const std::int64_t ahead = chunk + Tile::STAGES - 1;
    wait_for_copies<Tile::STAGES - 2>();
    __syncthreads();
    feed.copy_chunk(stages, ahead, slabs_of_chunk(ahead));
    if (inside) sums.add_chunk(stages, static_cast<int>(chunk % Tile::STAGES), slabs_of_chunk(chunk));
  }

  // Epilogue
  if (!inside) return;
  const PairsOfC c(p, block, Tile::BM);
  store_pairs<MmaSums<Tile>::PAIRS>(c, s, unit_of_sums<Tile::FORMAT>, [&](int i) { return sums.pair(i); });
  if (epilogue.is_plain()) return;
  finish_pairs(c, epilogue, p, product_number(), block, MmaSums<Tile>::PAIRS, [&](int i) { return sums.place(i); });
}

/// Enqueues it, after and overlapping with the launch before.
template <PlaneFormat FORMAT>
LaunchStatus launch_multiply_planes(const GemmProblem& problem, Stream stream, const SplitOperands& planes, Gate gate) {
  using Tile = MmaTile<FORMAT>;
  return launch_grid_overlapping<multiply_planes<Tile>, MmaStages<Tile>>(
      grid_extents(tile_count<Tile>(problem), problem.batch), Tile::THREADS, stream, problem, planes, gate);
}

}  // namespace ladder::LADDER_DEVICE
