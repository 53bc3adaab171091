// SPDX-License-Identifier: MIT
// The consumer half of a pipelined rung: the ring of stages in shared memory, and a thread's share of the
// block tile. pipeline_feed.cuh is the producer half.
#pragma once

#include "outer_step.cuh"
#include "pipeline_feed.cuh"
#include "tile_sums.cuh"

namespace ladder::LADDER_DEVICE {

/// Floats added to each row of a tile in shared memory: keeps 16-byte alignment and lets the transposing
/// copies of Feed::element_k meet 32 different banks.
inline constexpr int SKEW = vec;

/// How the slabs of a tile lie in a stage: both mn-major, whatever the operands' layouts in memory. A tile whose
/// consumers read them otherwise says so.
template <class Tile>
struct Panels {
  using A = float[Tile::BK][Tile::BM + SKEW];
  using B = float[Tile::BK][Tile::BN + SKEW];

  /// Calls body(feed) with an integral constant of the Feed that suits every product of a batch.
  template <class Body>
  static __device__ __forceinline__ void with_feed_of_a(const GemmProduct& first, const BatchLayout& layout,
                                                        const Body& body) {
    with_feed(feed_of_every_a(first, layout), body);
  }
  template <class Body>
  static __device__ __forceinline__ void with_feed_of_b(const GemmProduct& first, const BatchLayout& layout,
                                                        const Body& body) {
    with_feed(feed_of_every_b(first, layout), body);
  }
};

/// One slab of both operands.
template <class Tile>
struct alignas(sizeof(float4)) Stage {
  typename Panels<Tile>::A a;
  typename Panels<Tile>::B b;
  StageBarrier full;   ///< the copies have landed
  StageBarrier empty;  ///< every consuming warp has read it
};

/// The ring of stages.
template <class Tile>
struct PipelineSmem {
  Stage<Tile> stage[Tile::STAGES];
  StageBarrier met;      ///< where the consuming threads meet
  std::uint32_t ticket;  ///< one thread's word to the others
};

/// Of the whole block, before the ring's first use. Of each warp the first `arrivals_per_warp` lanes will say that the
/// warp has read a stage.
template <class Tile>
__device__ __forceinline__ void init_barriers(PipelineSmem<Tile>& smem, int producing_threads, int arrivals_per_warp) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Tile::STAGES; ++stage) {
      smem.stage[stage].full.init(producing_threads);
      smem.stage[stage].empty.init(Tile::WARPS * arrivals_per_warp);
    }
    smem.met.init(Tile::THREADS);
  }
  __syncthreads();
}

/// Of a whole warp, when all its lanes have read the stage: one speaks for all of them.
__device__ __forceinline__ void release_stage(StageBarrier& empty, int arrivals_per_warp) {
  __syncwarp();
  if (static_cast<int>(threadIdx.x % warp_size) < arrivals_per_warp) empty.arrive();
}

/// How many slabs have passed: a position in the ring in one register.
template <int STAGES>
class RingCursor {
 public:
  static_assert((STAGES & (STAGES - 1)) == 0, "the ring turns by masking bits");

  __device__ __forceinline__ int stage() const { return static_cast<int>(slab_ % STAGES); }
  /// Of the phase that a wait for this slab's copies waits for; the other one is that of the slab before in its stage.
  __device__ __forceinline__ std::uint32_t parity() const { return slab_ / STAGES & 1; }
  /// The stage held another slab before.
  __device__ __forceinline__ bool reused() const { return slab_ >= STAGES; }
  __device__ __forceinline__ void advance() {
    ++slab_;
    if (slab_ == 4 * STAGES) slab_ = 2 * STAGES;
  }

 private:
  std::uint32_t slab_ = 0;
};

/// A thread's TM x TN results, and the fragments that they are summed up from with FFMAs.
template <class Tile>
class ThreadTile : public TileSums<Tile> {
 public:
  __device__ __forceinline__ explicit ThreadTile(int thread)
      : TileSums<Tile>(thread / warp_size % Tile::WARPS_M * Tile::WM + thread % warp_size % Tile::LANES_M * vec,
                       thread / warp_size / Tile::WARPS_M * Tile::WN + thread % warp_size / Tile::LANES_M * vec) {}

  /// Fragments of one step of k into register buffer `buffer`; row_a and row_b point at this thread's first quad.
  __device__ __forceinline__ void load_fragments(int buffer, const float* row_a, const float* row_b) {
    load_quads<Tile::TM, Tile::LANES_M>(a_frag_[buffer], row_a);
    load_quads<Tile::TN, Tile::LANES_N>(b_frag_[buffer], row_b);
  }

  /// sum += a_frag * b_frag.
  __device__ __forceinline__ void accumulate(int buffer) {
    add_outer_product(this->sum_, a_frag_[buffer], b_frag_[buffer]);
  }

 private:
  template <int COUNT, int LANES>
  static __device__ __forceinline__ void load_quads(float (&fragment)[COUNT], const float* row) {
#pragma unroll
    for (int i = 0; i < COUNT; i += vec) {
      const float4 quad = *reinterpret_cast<const float4*>(row + i * LANES);
      fragment[i] = quad.x;
      fragment[i + 1] = quad.y;
      fragment[i + 2] = quad.z;
      fragment[i + 3] = quad.w;
    }
  }

  float a_frag_[2][Tile::TM];
  float b_frag_[2][Tile::TN];
};

/// The share of a consuming thread in a tile.
template <class Tile>
struct ShareOf {
  using Type = ThreadTile<Tile>;
};

}  // namespace ladder::LADDER_DEVICE
