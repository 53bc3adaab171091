// SPDX-License-Identifier: MIT
// The consumer half of a pipelined rung: the ring of stages in shared memory, and a thread's share of the
// block tile. pipeline_feed.cuh is the producer half.
#pragma once

#include "epilogue.cuh"
#include "operand.cuh"
#include "pipeline_feed.cuh"

namespace ladder::LADDER_DEVICE {

/// Floats added to each row of a tile in shared memory: keeps 16-byte alignment and lets the transposing
/// copies of Feed::element_k meet 32 different banks.
inline constexpr int SKEW = vec;

/// STAGES slabs of both operands. full[s]: the copies of stage s have landed; empty[s]: every consuming
/// thread has read it.
template <class Tile>
struct PipelineSmem {
  float a[Tile::STAGES][Tile::BK][Tile::BM + SKEW];
  float b[Tile::STAGES][Tile::BK][Tile::BN + SKEW];
  StageBarrier full[Tile::STAGES];
  StageBarrier empty[Tile::STAGES];
};

/// Of the whole block, before the ring's first use.
template <class Tile>
__device__ __forceinline__ void init_barriers(PipelineSmem<Tile>& smem, int producing_threads) {
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < Tile::STAGES; ++stage) {
      smem.full[stage].init(producing_threads);
      smem.empty[stage].init(Tile::THREADS);
    }
  }
  __syncthreads();
}

/// A position in the ring: the stage, and the parity of the phase that a wait there waits for.
template <int STAGES>
struct RingCursor {
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ __forceinline__ void advance() {
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }
};

/// How K is cut into slabs of BK.
struct SlabCount {
  int total;    ///< the partial one included
  int whole;    ///< slabs of exactly BK
  int residue;  ///< k of the partial slab, 0 when there is none
};

template <int BK>
__device__ __forceinline__ SlabCount count_slabs(std::int64_t k) {
  return {static_cast<int>((k + BK - 1) / BK), static_cast<int>(k / BK), static_cast<int>(k % BK)};
}

/// Tile of this block. Blocks walk groups of GROUP tile columns, column by column inside a group, so that
/// the panels in use at one time stay in the L2 cache.
template <class Tile>
__device__ __forceinline__ BlockTile locate_grouped_tile(const GemmProduct& p) {
  constexpr std::uint32_t GROUP = 8;
  const auto tiles_m = static_cast<std::uint32_t>((p.m + Tile::BM - 1) / Tile::BM);
  const auto tiles_n = static_cast<std::uint32_t>((p.n + Tile::BN - 1) / Tile::BN);
  const std::uint32_t group = blockIdx.x / (GROUP * tiles_m);
  const std::uint32_t within = blockIdx.x % (GROUP * tiles_m);
  const std::uint32_t left = tiles_n - group * GROUP;
  const std::uint32_t columns = left < GROUP ? left : GROUP;
  return tile_at(p, static_cast<std::int64_t>(within / columns) * Tile::BM,
                 static_cast<std::int64_t>(group * GROUP + within % columns) * Tile::BN);
}

/// A thread's TM x TN results: quads of rows LANES_M quads apart, quads of columns LANES_N quads apart, so
/// that a warp's 128-bit reads of a row of the tile are contiguous.
template <class Tile>
class ThreadTile {
 public:
  __device__ __forceinline__ explicit ThreadTile(int thread)
      : m0_(thread / warp_size % Tile::WARPS_M * Tile::WM + thread % warp_size % Tile::LANES_M * vec),
        n0_(thread / warp_size / Tile::WARPS_M * Tile::WN + thread % warp_size / Tile::LANES_M * vec) {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) sum_[j][i] = 0.0f;
    }
  }

  __device__ __forceinline__ int m0() const { return m0_; }
  __device__ __forceinline__ int n0() const { return n0_; }

  /// Fragments of one step of k into register buffer `buffer`; row_a and row_b point at this thread's first quad.
  __device__ __forceinline__ void load_fragments(int buffer, const float* row_a, const float* row_b) {
    load_quads<Tile::TM, Tile::LANES_M>(a_frag_[buffer], row_a);
    load_quads<Tile::TN, Tile::LANES_N>(b_frag_[buffer], row_b);
  }

  /// sum += a_frag * b_frag: an outer product. The serpentine order lets neighbouring FMAs share a register
  /// operand, which the register file's reuse cache then serves.
  __device__ __forceinline__ void accumulate(int buffer) {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int step = 0; step < Tile::TM; ++step) {
        const int i = j % 2 ? Tile::TM - 1 - step : step;
        sum_[j][i] = __fmaf_rn(a_frag_[buffer][i], b_frag_[buffer][j], sum_[j][i]);
      }
    }
  }

  /// Epilogue: alpha, beta and the store, in 128-bit accesses where C allows them.
  __device__ __forceinline__ void store(const GemmProduct& p, const Scalars& s, const BlockTile& block) const {
    const bool vector_c = quads_aligned(p.c, p.ldc);
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
      const std::int64_t n = block.n0 + n0_ + j / vec * vec * Tile::LANES_N + j % vec;
      if (n < p.n) {
#pragma unroll
        for (int i = 0; i < Tile::TM; i += vec) {
          const std::int64_t m = block.m0 + m0_ + i * Tile::LANES_M;
          float* c = p.c + m + n * p.ldc;
          if (vector_c && p.m - m >= vec) {
            blend_quad(s, &sum_[j][i], c);
          } else {
            blend_some(s, &sum_[j][i], c, p.m - m);
          }
        }
      }
    }
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

  int m0_;
  int n0_;
  float sum_[Tile::TN][Tile::TM];
  float a_frag_[2][Tile::TM];
  float b_frag_[2][Tile::TN];
};

}  // namespace ladder::LADDER_DEVICE
