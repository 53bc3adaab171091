// SPDX-License-Identifier: MIT
// What keeps the ring of a pipelined rung full: the copies of a block's slabs, one after the other.
#pragma once

#include "pipeline.cuh"
#include "work_plan.cuh"

namespace ladder::LADDER_DEVICE {

/// Copies the slabs of the block's units, in order. It runs ahead of the consumers, across units too.
template <class Tile, Feed FEED_A, Feed FEED_B, int THREADS>
class Producer {
 public:
  __device__ __forceinline__ Producer(PipelineSmem<Tile>& smem, const GemmProduct& first, const BatchLayout& layout,
                                      const WorkPlan& plan, int thread)
      : smem_(smem),
        first_(first),
        layout_(layout),
        plan_(plan),
        k_(mainloop_k(first, load_scalars(first))),
        thread_(thread),
        feed_a_(any_address(first.a, layout), first.lda, 0, 0, 0, thread),
        feed_b_(any_address(first.b, layout), first.ldb, 0, 0, 0, thread) {
    if (k_.slabs > 0) next_unit();
  }

  __device__ __forceinline__ bool done() const { return unit_.count == 0; }
  __device__ __forceinline__ bool stage_is_used() const { return fill_.reused(); }
  __device__ __forceinline__ StageBarrier& empty() { return smem_.stage[fill_.stage()].empty; }
  __device__ __forceinline__ std::uint32_t empty_parity() const { return fill_.parity() ^ 1; }

  /// Issues one slab's copies into the next stage, which must be empty.
  __device__ __forceinline__ void issue() {
    const int k_left = unit_.first + 1 == k_.slabs ? k_.last : Tile::BK;
    Stage<Tile>& stage = smem_.stage[fill_.stage()];
    feed_a_.issue(&stage.a[0][0], k_left);
    feed_b_.issue(&stage.b[0][0], k_left);
    stage.full.arrive_when_copies_land();
    fill_.advance();
    ++unit_.first;
    if (--unit_.count == 0) next_unit();
  }

 private:
  // The feeds' first panels come with the first unit. Until then the compiler should know what all panels have in
  // common.
  static __device__ __forceinline__ const float* any_address(const float* operand, const BatchLayout& layout) {
    return layout.c_array == nullptr ? operand : reinterpret_cast<const float*>(layout.c_array);
  }

  __device__ __forceinline__ void next_unit() {
    if (!unit_at(plan_, k_.slabs, index_++, unit_)) {
      unit_.count = 0;
      return;
    }
    const TilePlace place = place_of<Tile>(plan_, unit_.tile, first_);
    const std::int64_t k0 = std::int64_t{unit_.first} * Tile::BK;
    feed_a_ = FeedA(a_at(first_, layout_, place.product), first_.lda, place.block.m0, first_.m, k0, thread_);
    feed_b_ = FeedB(b_at(first_, layout_, place.product), first_.ldb, place.block.n0, first_.n, k0, thread_);
  }

  using FeedA = TileFeed<FEED_A, Tile::BM, Tile::BK, SKEW, THREADS>;
  using FeedB = TileFeed<FEED_B, Tile::BN, Tile::BK, SKEW, THREADS>;

  PipelineSmem<Tile>& smem_;
  const GemmProduct& first_;
  const BatchLayout& layout_;
  const WorkPlan& plan_;
  SlabCount<Tile> k_;
  int index_ = 0;  // of the next unit
  WorkUnit unit_{};
  RingCursor<Tile::STAGES> fill_;
  int thread_;
  FeedA feed_a_;
  FeedB feed_b_;
};

}  // namespace ladder::LADDER_DEVICE
