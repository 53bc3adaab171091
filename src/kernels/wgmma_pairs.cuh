// SPDX-License-Identifier: MIT
// Products of planes that a consuming warpgroup begins: which pairs of planes, and where in a stage of the ring these
// lie. GPU only, sm_90a only.
#pragma once

#include "plane_tile.cuh"
#include "wgmma_words.cuh"

namespace ladder::LADDER_DEVICE {

/// The factors of one warpgroup in one stage: its 64 rows of image B, and the rows of image A from `part` on.
template <class Tile>
struct StageFactors {
  PlaneFactor b;
  PlaneFactor a;

  __device__ __forceinline__ StageFactors(const unsigned char* cells, int warpgroup, int part)
      : b(PlaneFactor::in_cells<Tile::FORMAT>(smem_address(cells) + warpgroup * warpgroup_bytes)),
        a(PlaneFactor::in_cells<Tile::FORMAT>(smem_address(cells) + Tile::B_BYTES + part * Tile::PART_BYTES)) {}

 private:
  static constexpr int warpgroup_bytes = Tile::WARPGROUP_ROWS / rows_of_cell * Tile::layout.cell_bytes;
};

/// Begins the products of the pairs of planes number FIRST to LAST - 1 of `SLABS` slabs, and closes them. `keeps`: they
/// are added to what the sums hold. begin_multiplications() comes before.
template <class Tile, int FIRST, int LAST, int SLABS>
__device__ __forceinline__ void multiply_pairs(float (&sums)[Tile::SUMS], const StageFactors<Tile> (&slabs)[SLABS],
                                               bool keeps) {
  constexpr PlaneLayout layout = Tile::layout;
  constexpr int step_bytes = 32;  // of k, in one instruction
  constexpr int plane_bytes =
      layout.planes_of_a_row > 1 ? slab_k * layout.element_bytes : rows_of_cell * layout.row_bytes;
  constexpr int steps = slab_k * layout.element_bytes / step_bytes;
#pragma unroll
  for (int i = FIRST; i < LAST; ++i) {
    const PlanePair pair = plane_pair(Tile::FORMAT, i);
#pragma unroll
    for (int slab = 0; slab < SLABS; ++slab) {
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        const bool first = i == FIRST && slab == 0 && step == 0;
        WarpgroupMultiply<Tile::FORMAT, Tile::PART>::add(
            sums, slabs[slab].b + (pair.b * plane_bytes + step * step_bytes),
            slabs[slab].a + (pair.a * plane_bytes + step * step_bytes), keeps || !first);
      }
    }
  }
  close_multiplications();
}

/// All pairs; where they are promoted, they are closed in two halves. Small ones come first.
template <class Tile, int SLABS>
__device__ __forceinline__ void multiply(float (&sums)[Tile::SUMS], const StageFactors<Tile> (&slabs)[SLABS],
                                         bool keeps) {
  constexpr int pairs = plane_pairs(Tile::FORMAT);
  hold_sums(sums);
  begin_multiplications();
  if constexpr (Tile::SCALED) {
    multiply_pairs<Tile, 0, pairs / 2>(sums, slabs, keeps);
    multiply_pairs<Tile, pairs / 2, pairs>(sums, slabs, true);
  } else {
    multiply_pairs<Tile, 0, pairs>(sums, slabs, keeps);
  }
}

}  // namespace ladder::LADDER_DEVICE
