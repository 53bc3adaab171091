// SPDX-License-Identifier: MIT
// A thread's share of a block tile of C in registers, and its ways out: into scratch memory and back, and through the
// epilogue. What computes the sums derives from it.
#pragma once

#include <type_traits>

#include "finish.cuh"

namespace ladder::LADDER_DEVICE {

/// A thread's TM x TN results: quads of rows LANES_M quads apart, quads of columns LANES_N quads apart, so
/// that a warp's 128-bit reads of a row of the tile are contiguous.
template <class Tile>
class TileSums {
 public:
  /// The first quad of rows and the first quad of columns, counted from the block tile's corner.
  __device__ __forceinline__ TileSums(int m0, int n0) : m0_(m0), n0_(n0) {}

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

 protected:
  static constexpr int QUADS = Tile::TM * Tile::TN / vec;

  template <class Float>
  static __device__ __forceinline__ auto* quad_of_part(Float* part, int thread, int quad) {
    using Quad = std::conditional_t<std::is_const_v<Float>, const float4, float4>;
    return reinterpret_cast<Quad*>(part) + quad * Tile::THREADS + thread;
  }

 private:
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

  int m0_;
  int n0_;

 protected:
  float sum_[Tile::TN][Tile::TM];
};

}  // namespace ladder::LADDER_DEVICE
