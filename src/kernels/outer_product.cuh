// SPDX-License-Identifier: MIT
// What a thread of r09_outer_product.cu does: it takes its rows of op(A) into registers, helps to lay the columns of
// op(B) out in shared memory, and computes columns of C.
#pragma once

#include "finish.cuh"

namespace ladder::LADDER_DEVICE {

/// Every thread holds ROWS x DEPTH of op(A). A k below DEPTH is filled up with products of -0 and +0: adding their -0
/// changes no sum, not even one of -0.
template <int DEPTH_, int RESIDENT_, int AT_ONCE_>
struct OuterTile {
  static constexpr int DEPTH = DEPTH_;
  static constexpr int ROWS = vec;
  static constexpr int RESIDENT = RESIDENT_;  // blocks on a multiprocessor
  static constexpr int AT_ONCE = AT_ONCE_;    // columns in flight in a thread
  static constexpr int THREADS = 128;
  static constexpr int COLUMNS = 2048 / DEPTH;  // of op(B) in shared memory, 8 KiB
  static constexpr int LINE = ROWS * THREADS + vec;

  static_assert(DEPTH % vec == 0, "four k of a column of op(B) are read at once");
};

template <class Tile, Major MAJOR_A>
struct OuterSmem {
  alignas(16) float b[Tile::COLUMNS][Tile::DEPTH];
  StageBarrier landed;
};

// A k-major op(A) is turned around on its way to the registers.
template <class Tile>
struct OuterSmem<Tile, Major::k> {
  alignas(16) float b[Tile::COLUMNS][Tile::DEPTH];
  alignas(16) float a[Tile::DEPTH][Tile::LINE];
  StageBarrier landed;
};

/// Where the rows of one thread lie, counted from the block's first: four neighbours, of which C has all or none, or
/// `step` apart so that the accesses of a warp are contiguous whatever the alignment.
template <bool QUADS>
struct ThreadRows {
  int first;
  int step;
  int left;  ///< rows of C from the first one on

  __device__ __forceinline__ ThreadRows(int thread, int row_threads, int block_rows)
      : first(QUADS ? vec * thread : thread), step(QUADS ? 1 : row_threads), left(block_rows - first) {}

  __device__ __forceinline__ bool has(int i) const { return i * step < left; }
};

template <class Tile>
using RowsOfA = float[Tile::DEPTH][Tile::ROWS];

__device__ __forceinline__ float4 quad_at(const float* p) { return *reinterpret_cast<const float4*>(p); }

__device__ __forceinline__ void spread(const float4& quad, float* to) {
  to[0] = quad.x, to[1] = quad.y, to[2] = quad.z, to[3] = quad.w;
}

// ---------------------------------------------------------------------------------------- load

template <class Tile, bool QUADS>
__device__ __forceinline__ void load_rows(RowsOfA<Tile>& a, const float* origin, std::int64_t ld,
                                          const ThreadRows<QUADS>& rows, int k_extent) {
#pragma unroll
  for (int k = 0; k < Tile::DEPTH; ++k) {
#pragma unroll
    for (int i = 0; i < Tile::ROWS; ++i) a[k][i] = -0.0f;
  }
  if (rows.left <= 0) return;
#pragma unroll
  for (int k = 0; k < Tile::DEPTH; ++k) {
    if constexpr (QUADS) {
      if (k < k_extent) spread(quad_at(origin + k * ld), a[k]);
    } else {
#pragma unroll
      for (int i = 0; i < Tile::ROWS; ++i) {
        if (k < k_extent && rows.has(i)) a[k][i] = origin[k * ld + i * rows.step];
      }
    }
  }
}

__device__ __forceinline__ void copy_or_fill(float* smem, const float* gmem, bool exists, float fill) {
  if (exists) {
    async_copy<sizeof(float)>(smem, gmem);
  } else {
    *smem = fill;
  }
}

// Rows of a k-major op(A), its lines along k, into shared memory.
template <class Tile>
__device__ __forceinline__ void stage_rows(OuterSmem<Tile, Major::k>& smem, const Panel<Major::k>& a, int rows) {
#pragma unroll 1
  for (int e = threadIdx.x; e < rows * Tile::DEPTH; e += Tile::THREADS) {
    const int k = e % Tile::DEPTH;
    const int row = e / Tile::DEPTH;
    copy_or_fill(&smem.a[k][row], a.at(row, k), k < a.k_extent && row < a.mn_extent, -0.0f);
  }
}

template <class Tile, bool QUADS>
__device__ __forceinline__ void take_rows(RowsOfA<Tile>& a, const OuterSmem<Tile, Major::k>& smem,
                                          const ThreadRows<QUADS>& rows) {
#pragma unroll
  for (int k = 0; k < Tile::DEPTH; ++k) {
    if constexpr (QUADS) {
      spread(quad_at(&smem.a[k][rows.first]), a[k]);
    } else {
#pragma unroll
      for (int i = 0; i < Tile::ROWS; ++i) a[k][i] = smem.a[k][rows.first + i * rows.step];
    }
  }
}

template <class Tile>
__device__ __forceinline__ void stage_columns(float (&b)[Tile::COLUMNS][Tile::DEPTH], const GemmProduct& p,
                                              std::int64_t n0, int columns, int k_extent) {
  const int thread = threadIdx.x;
  if (p.op_b == Op::none) {
    const float* origin = p.b + n0 * p.ldb;
#pragma unroll 1
    for (int e = thread; e < columns * Tile::DEPTH; e += Tile::THREADS) {
      const int k = e % Tile::DEPTH;
      const int column = e / Tile::DEPTH;
      copy_or_fill(&b[column][k], origin + k + column * p.ldb, k < k_extent, 0.0f);
    }
    return;
  }
#pragma unroll 1
  for (int k = thread / warp_size; k < Tile::DEPTH; k += Tile::THREADS / warp_size) {
    const float* line = p.b + n0 + k * p.ldb;
#pragma unroll 1
    for (int column = thread % warp_size; column < columns; column += warp_size) {
      copy_or_fill(&b[column][k], line + column, k < k_extent, 0.0f);
    }
  }
}

// ---------------------------------------------------------------------------------------- compute and store

template <class Tile, bool QUADS>
__device__ __forceinline__ void store_column(const Scalars& s, const float (&sum)[Tile::ROWS], float* c,
                                             const ThreadRows<QUADS>& rows) {
  if constexpr (QUADS) {
    blend_quad(s, sum, c);
  } else {
#pragma unroll
    for (int i = 0; i < Tile::ROWS; ++i) {
      if (rows.has(i)) c[i * rows.step] = blend(s, sum[i], c + i * rows.step);
    }
  }
}

/// COUNT columns of C, `b_step` and `c_step` floats apart.
template <int COUNT, class Tile, bool QUADS>
__device__ __forceinline__ void compute_columns(const Scalars& s, const RowsOfA<Tile>& a, const float* b, int b_step,
                                                float* c, std::int64_t c_step, const ThreadRows<QUADS>& rows) {
  float sum[COUNT][Tile::ROWS] = {};
#pragma unroll
  for (int k0 = 0; k0 < Tile::DEPTH; k0 += vec) {
    float b_quad[COUNT][vec];
#pragma unroll
    for (int j = 0; j < COUNT; ++j) spread(quad_at(b + j * b_step + k0), b_quad[j]);
#pragma unroll
    for (int k = 0; k < vec; ++k) {
#pragma unroll
      for (int j = 0; j < COUNT; ++j) {
#pragma unroll
        for (int i = 0; i < Tile::ROWS; ++i) sum[j][i] = __fmaf_rn(a[k0 + k][i], b_quad[j][k], sum[j][i]);
      }
    }
  }
#pragma unroll
  for (int j = 0; j < COUNT; ++j) store_column<Tile>(s, sum[j], c + j * c_step, rows);
}

}  // namespace ladder::LADDER_DEVICE
