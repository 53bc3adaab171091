// SPDX-License-Identifier: MIT
// The consumer half of a pipelined rung: the ring of stages in shared memory, and a thread's share of the
// block tile. pipeline_feed.cuh is the producer half.
#pragma once

#include <type_traits>

#include "finish.cuh"
#include "outer_step.cuh"
#include "pipeline_feed.cuh"

namespace ladder::LADDER_DEVICE {

/// Floats added to each row of a tile in shared memory: keeps 16-byte alignment and lets the transposing
/// copies of Feed::element_k meet 32 different banks.
inline constexpr int SKEW = vec;

/// One slab of both operands.
template <class Tile>
struct alignas(sizeof(float4)) Stage {
  float a[Tile::BK][Tile::BM + SKEW];
  float b[Tile::BK][Tile::BN + SKEW];
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

/// A thread's TM x TN results: quads of rows LANES_M quads apart, quads of columns LANES_N quads apart, so
/// that a warp's 128-bit reads of a row of the tile are contiguous.
template <class Tile>
class ThreadTile {
 public:
  __device__ __forceinline__ explicit ThreadTile(int thread)
      : m0_(thread / warp_size % Tile::WARPS_M * Tile::WM + thread % warp_size % Tile::LANES_M * vec),
        n0_(thread / warp_size / Tile::WARPS_M * Tile::WN + thread % warp_size / Tile::LANES_M * vec) {}

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) sum_[j][i] = 0.0f;
    }
  }

  __device__ __forceinline__ int m0() const { return m0_; }
  __device__ __forceinline__ int n0() const { return n0_; }

  /// True where this warp has a share in C.
  __device__ __forceinline__ bool inside(const BlockTile& block) const {
    return m0_ / Tile::WM * Tile::WM < block.rows && n0_ / Tile::WN * Tile::WN < block.columns;
  }

  /// Fragments of one step of k into register buffer `buffer`; row_a and row_b point at this thread's first quad.
  __device__ __forceinline__ void load_fragments(int buffer, const float* row_a, const float* row_b) {
    load_quads<Tile::TM, Tile::LANES_M>(a_frag_[buffer], row_a);
    load_quads<Tile::TN, Tile::LANES_N>(b_frag_[buffer], row_b);
  }

  /// sum += a_frag * b_frag.
  __device__ __forceinline__ void accumulate(int buffer) { add_outer_product(sum_, a_frag_[buffer], b_frag_[buffer]); }

  /// Sets the sums aside in `part`, which has room for a block tile: quad by quad, neighbouring threads next to each
  /// other. A 128-bit access binds a quad's sums to an even register and its three neighbours; with the sums of odd
  /// rows in the even ones, a sum and its row of A come from different banks of the register file.
  __device__ __forceinline__ void store_part(float* part, int thread) const {
#pragma unroll
    for (int quad = 0; quad < QUADS; ++quad) {
      const float* sum = &sum_[quad * vec / Tile::TM][quad * vec % Tile::TM];
      *quad_of_part(part, thread, quad) = make_float4(sum[1], sum[0], sum[3], sum[2]);
    }
  }

  /// sum = part.
  __device__ __forceinline__ void load_part_of(const float* part, int thread) {
#pragma unroll
    for (int quad = 0; quad < QUADS; ++quad) {
      const float4 theirs = load_part(reinterpret_cast<const float*>(quad_of_part(part, thread, quad)));
      float* sum = &sum_[quad * vec / Tile::TM][quad * vec % Tile::TM];
      sum[1] = theirs.x, sum[0] = theirs.y, sum[3] = theirs.z, sum[2] = theirs.w;
    }
  }

  /// sum += part.
  __device__ __forceinline__ void add_part(const float* part, int thread) {
#pragma unroll
    for (int quad = 0; quad < QUADS; ++quad) {
      const float4 theirs = load_part(reinterpret_cast<const float*>(quad_of_part(part, thread, quad)));
      float* sum = &sum_[quad * vec / Tile::TM][quad * vec % Tile::TM];
      sum[1] += theirs.x, sum[0] += theirs.y, sum[3] += theirs.z, sum[2] += theirs.w;
    }
  }

  /// Epilogue: alpha, beta and the store, in 128-bit accesses where C allows them.
  __device__ __forceinline__ void store(const GemmProduct& p, const Scalars& s, const BlockTile& block) const {
    if (block.rows >= Tile::BM && quads_aligned(p.c, p.ldc)) {
      store_blended(p, s, block, [](const Scalars& by, const float* sum, float* c, int) { blend_quad(by, sum, c); });
    } else {
      store_blended(p, s, block,
                    [](const Scalars& by, const float* sum, float* c, int rows) { blend_some(by, sum, c, rows); });
    }
  }

  /// The rest of the epilogue, after store(); p is number `product` of the batch.
  __device__ __forceinline__ void finish(const Epilogue& epilogue, const GemmProduct& p, std::int64_t product,
                                         const BlockTile& block) const {
    constexpr int M_QUADS = Tile::TM / vec;
    finish_quads(epilogue, p, product, QUADS, [&](int quad) -> QuadPlace {
      const int j = quad / M_QUADS;
      const int m = m0_ + quad % M_QUADS * vec * Tile::LANES_M;
      const int n = n0_ + j / vec * vec * Tile::LANES_N + j % vec;
      return {block.m0 + m, block.n0 + n, n < block.columns ? block.rows - m : 0};
    });
  }

 private:
  static constexpr int QUADS = Tile::TM * Tile::TN / vec;

  template <class Float>
  static __device__ __forceinline__ auto* quad_of_part(Float* part, int thread, int quad) {
    using Quad = std::conditional_t<std::is_const_v<Float>, const float4, float4>;
    return reinterpret_cast<Quad*>(part) + quad * Tile::THREADS + thread;
  }

  // With beta = 0 known the blend is short: a path of its own keeps the other's code out of the instruction cache.
  template <class Blend>
  __device__ __forceinline__ void store_blended(const GemmProduct& p, const Scalars& s, const BlockTile& block,
                                                const Blend& blend_rows) const {
    if (s.beta == 0.0f) {
      store_each(p, Scalars{s.alpha, 0.0f}, block, blend_rows);
    } else {
      store_each(p, s, block, blend_rows);
    }
  }

  template <class Blend>
  __device__ __forceinline__ void store_each(const GemmProduct& p, const Scalars& s, const BlockTile& block,
                                             const Blend& blend_rows) const {
    float* corner = p.c + block.m0 + m0_ + (block.n0 + n0_) * p.ldc;
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
      const int column = j / vec * vec * Tile::LANES_N + j % vec;
      if (n0_ + column < block.columns) {
        float* c = corner + column * p.ldc;
#pragma unroll
        for (int i = 0; i < Tile::TM; i += vec) {
          blend_rows(s, &sum_[j][i], c + i * Tile::LANES_M, block.rows - m0_ - i * Tile::LANES_M);
        }
      }
    }
  }

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

  int m0_;
  int n0_;
  float sum_[Tile::TN][Tile::TM];
  float a_frag_[2][Tile::TM];
  float b_frag_[2][Tile::TN];
};

}  // namespace ladder::LADDER_DEVICE
