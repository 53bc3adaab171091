// SPDX-License-Identifier: MIT
// A thread's results in registers as quads of rows and quads of columns, each 128 bits in shared memory:
// neighbouring threads own neighbouring quads, so that a warp's 128-bit accesses meet no bank twice.
#pragma once

#include "finish.cuh"

namespace ladder::LADDER_DEVICE {

/// TM x TN results: quads of rows M_STRIDE apart and quads of columns N_STRIDE apart, counted from the
/// block tile's corner; the first is at (m, n).
template <int TM, int TN, int M_STRIDE, int N_STRIDE>
struct ThreadQuads {
  static_assert(TM % vec == 0 && TN % vec == 0, "a thread tile is whole quads");

  int m;
  int n;
  float accum[TN][TM] = {};

  __device__ __forceinline__ ThreadQuads(int first_m, int first_n) : m(first_m), n(first_n) {}

  static __device__ __forceinline__ int row(int i) { return i / vec * M_STRIDE + i % vec; }
  static __device__ __forceinline__ int column(int j) { return j / vec * N_STRIDE + j % vec; }

  /// True where this thread has any result inside C.
  __device__ __forceinline__ bool inside(const BlockTile& block) const { return m < block.rows && n < block.columns; }

  /// Step k of the sums: the outer product of a column of tile a and a row of tile b.
  template <class TileA, class TileB>
  __device__ __forceinline__ void multiply_add(const TileA& a, const TileB& b, int k) {
    static_assert(M_STRIDE % TileA::PERIOD == 0, "a thread's quads of rows lie alike in a tile's row");
    static_assert(N_STRIDE % TileB::PERIOD == 0, "a thread's quads of columns lie alike in a tile's row");
    float a_frag[TM];
    float b_frag[TN];
#pragma unroll
    for (int i = 0; i < TM; i += vec) read_quad(a_frag + i, a.quad_at(m, row(i), k));
#pragma unroll
    for (int j = 0; j < TN; j += vec) read_quad(b_frag + j, b.quad_at(n, column(j), k));
#pragma unroll
    for (int j = 0; j < TN; ++j) {
#pragma unroll
      for (int i = 0; i < TM; ++i) accum[j][i] = __fmaf_rn(a_frag[i], b_frag[j], accum[j][i]);
    }
  }

  /// Blends the sums into C: 128 bits an access where the block's tile (BM x BN) fits and C is aligned.
  template <class Tile>
  __device__ __forceinline__ void store(const GemmProduct& p, const Scalars& s, const BlockTile& block) const {
    const bool fits = block.rows >= Tile::BM && block.columns >= Tile::BN && quads_aligned(p.c, p.ldc);
    float* corner = p.c + block.m0 + m + (block.n0 + n) * p.ldc;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
#pragma unroll
      for (int i = 0; i < TM; i += vec) {
        float* c = corner + row(i) + column(j) * p.ldc;
        if (fits) {
          blend_quad(s, accum[j] + i, c);
        } else if (n + column(j) < block.columns) {
          blend_some(s, accum[j] + i, c, block.rows - m - row(i));
        }
      }
    }
  }

  /// The rest of the epilogue, after store(), of product number `product`.
  __device__ __forceinline__ void finish(const Epilogue& epilogue, const GemmProduct& p, const BlockTile& block,
                                         std::int64_t product = product_number()) const {
    constexpr int M_QUADS = TM / vec;
    finish_quads(epilogue, p, product, M_QUADS * TN, [&](int quad) -> QuadPlace {
      const int m_in_block = m + row(quad % M_QUADS * vec);
      const int n_in_block = n + column(quad / M_QUADS);
      return {block.m0 + m_in_block, block.n0 + n_in_block, n_in_block < block.columns ? block.rows - m_in_block : 0};
    });
  }

 private:
  static __device__ __forceinline__ void read_quad(float* to, const float4& quad) {
    to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
  }
};

}  // namespace ladder::LADDER_DEVICE
