// SPDX-License-Identifier: MIT
// What a consuming warp of a pipelined rung does with the slabs that come: multiply, add, and finish tiles of C.
#pragma once

#include "split_tile.cuh"

namespace ladder::LADDER_DEVICE {

/// Adds `slabs` slabs of the ring to the sums; the last has `last` steps of k.
template <class Tile, class Refill>
__device__ __forceinline__ void mainloop(PipelineSmem<Tile>& smem, RingCursor<Tile::STAGES>& use, const WorkPlan& plan,
                                         int slabs, int last, ThreadTile<Tile>& tile, const Refill& refill) {
  constexpr int ROW_A = Tile::BM + SKEW;
  constexpr int ROW_B = Tile::BN + SKEW;
  // A loop of more than 32 KiB of code does not fit the instruction cache: some multiprocessors then run it 6 % slower
  // than the rest.
  constexpr int UNROLLED_K = Tile::TM * Tile::TN * Tile::BK > 1024 ? Tile::BK / 2 : Tile::BK;
  constexpr int ROUNDS = Tile::BK / UNROLLED_K;
  const int partial = last < Tile::BK ? 1 : 0;
  Stage<Tile>* stage = &smem.stage[use.stage()];
  const float* a = &stage->a[0][tile.m0()];
  const float* b = &stage->b[0][tile.n0()];
  stage->full.wait(use.parity());
  tile.load_fragments(0, a, b);
#pragma unroll 1
  for (int rounds = slabs * ROUNDS; rounds > partial * ROUNDS;) {
    if (rounds % ROUNDS == 0) refill();
#pragma unroll
    for (int k = 0; k < UNROLLED_K; ++k) {
      if (k + 1 < UNROLLED_K) {
        tile.load_fragments((k + 1) % 2, a + (k + 1) * ROW_A, b + (k + 1) * ROW_B);
      } else {
        --rounds;
        a += UNROLLED_K * ROW_A;
        b += UNROLLED_K * ROW_B;
        if (rounds % ROUNDS == 0) {
          // Slab boundary: this warp has the rest in registers and is done with the stage. The next stage's first
          // fragments are fetched under the last outer product.
          release_stage(stage->empty, plan.arrivals_per_warp);
          use.advance();
          stage = &smem.stage[use.stage()];
          a = &stage->a[0][tile.m0()];
          b = &stage->b[0][tile.n0()];
          if (rounds > 0) stage->full.wait(use.parity());
        }
        if (rounds > 0) tile.load_fragments(0, a, b);
      }
      tile.accumulate(k % 2);
    }
  }
  if (partial == 0) return;
  refill();
#pragma unroll 1
  for (int k = 0; k < last; ++k) {
    tile.load_fragments(0, a + k * ROW_A, b + k * ROW_B);
    tile.accumulate(0);
  }
  release_stage(stage->empty, plan.arrivals_per_warp);
  use.advance();
}

// A warp whose whole tile lies outside C keeps the ring turning and computes nothing.
template <class Tile, class Refill>
__device__ __forceinline__ void pass_slabs_on(PipelineSmem<Tile>& smem, RingCursor<Tile::STAGES>& use,
                                              const WorkPlan& plan, int slabs, const Refill& refill) {
#pragma unroll 1
  for (int slab = 0; slab < slabs; ++slab) {
    refill();
    smem.stage[use.stage()].full.wait(use.parity());
    release_stage(smem.stage[use.stage()].empty, plan.arrivals_per_warp);
    use.advance();
  }
}

// The sums of one unit. Blocks of k are added up on their own and then to each other, in the order of k.
template <class Tile, class Share, class Refill>
__device__ __forceinline__ void sum_unit(PipelineSmem<Tile>& smem, RingCursor<Tile::STAGES>& use, const WorkPlan& plan,
                                         int slabs, int last, Share& tile, const Refill& refill) {
  tile.clear();
  if (slabs == 0) return;
  int left = slabs;
  while (true) {
    const int slabs_now = left < plan.block_slabs ? left : plan.block_slabs;
    mainloop(smem, use, plan, slabs_now, slabs_now == left ? last : Tile::BK, tile, refill);
    if (left != slabs) tile.add_part(kept_sums<Tile>(plan), threadIdx.x);
    left -= slabs_now;
    if (left == 0) return;
    tile.store_part(kept_sums<Tile>(plan), threadIdx.x);
    tile.clear();
  }
}

/// What a consuming thread does from the first unit of its block to the last. `Share`: its sums (TileSums) and how it
/// adds to them; there is a mainloop() for it.
template <class Share, class Tile, class Refill>
__device__ __forceinline__ void consume(PipelineSmem<Tile>& smem, const GemmProduct& first, const BatchLayout& layout,
                                        const Epilogue& epilogue, const WorkPlan& plan, const Refill& refill) {
  Share tile(threadIdx.x);
  RingCursor<Tile::STAGES> use;
  Meeting consumers(smem.met);
  WorkUnit unit;
#pragma unroll 1
  for (int index = 0;; ++index) {
    const SlabCount<Tile> k(mainloop_k(first, load_scalars(first)));
    if (!unit_at(plan, k.slabs, index, unit)) return;
    if (tile.inside(place_of<Tile>(plan, unit.tile, first).block)) {
      const int last = unit.first + unit.count == k.slabs ? k.last : Tile::BK;
      sum_unit(smem, use, plan, unit.count, last, tile, refill);
    } else {
      pass_slabs_on(smem, use, plan, unit.count, refill);
    }

    index = computed_again(index);
    const Scalars s = load_scalars(first, epilogue);
    const SlabCount<Tile> all(mainloop_k(first, s));
    unit_at(plan, all.slabs, index, unit);
    const bool inside = tile.inside(place_of<Tile>(plan, unit.tile, first).block);
    if (unit.count < all.slabs && !join_parts(smem, consumers, plan, unit.tile, tile, inside)) continue;
    const TilePlace place = place_of<Tile>(plan, unit.tile, first);
    if (!inside) continue;
    GemmProduct p = first;
    p.c = c_at(first, layout, place.product);
    tile.store(p, s, place.block);
    if (!epilogue.is_plain()) tile.finish(epilogue, p, place.product, place.block);
  }
}

}  // namespace ladder::LADDER_DEVICE
