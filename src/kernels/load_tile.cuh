// SPDX-License-Identifier: MIT
// Tiles of an operand in shared memory. A block fills one in two steps, with a barrier between them:
// fetch() takes each thread's part of a slab from global memory to registers, deposit() puts it in the tile.
// Elements outside the operand become 0.
#pragma once

#include "operand.cuh"

namespace ladder::LADDER_DEVICE {

/// An EXTENT x BK tile in the operand's own order, filled one float an access.
///
/// A line is contiguous in global memory too, and neighbouring threads load neighbours. The lines of a
/// k-major tile are `vec` floats longer than BK, a power of two, so that lanes that walk down the tile at
/// one k find different banks.
template <Major MAJOR, int EXTENT, int BK, int THREADS>
struct StagedTile {
  static constexpr int CONTIGUOUS = MAJOR == Major::mn ? EXTENT : BK;
  static constexpr int LINES = MAJOR == Major::mn ? BK : EXTENT;
  static constexpr int SKEW = MAJOR == Major::mn ? 0 : vec;
  static constexpr int LINES_PER_PASS = THREADS / CONTIGUOUS;
  static constexpr int PASSES = LINES / LINES_PER_PASS;
  static_assert(THREADS % CONTIGUOUS == 0, "a pass over the tile loads whole lines");
  static_assert(LINES % LINES_PER_PASS == 0, "the passes cover the tile exactly");

  struct Part {
    float value[PASSES];
  };

  alignas(sizeof(float4)) float line[LINES][CONTIGUOUS + SKEW];

  __device__ __forceinline__ float at(int mn, int k) const { return MAJOR == Major::mn ? line[k][mn] : line[mn][k]; }

  /// This thread's part of the panel's first slab.
  static __device__ __forceinline__ Part fetch(const Panel<MAJOR>& panel) {
    Part part;
    if (panel.mn_extent >= EXTENT && panel.k_extent >= BK) {
#pragma unroll
      for (int pass = 0; pass < PASSES; ++pass) part.value[pass] = *panel.at(mn_of(pass), k_of(pass));
    } else {
#pragma unroll
      for (int pass = 0; pass < PASSES; ++pass) {
        const bool in_bounds = mn_of(pass) < panel.mn_extent && k_of(pass) < panel.k_extent;
        part.value[pass] = in_bounds ? *panel.at(mn_of(pass), k_of(pass)) : 0.0f;
      }
    }
    return part;
  }

  __device__ __forceinline__ void deposit(const Part& part) {
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) line[line_of(pass)][along()] = part.value[pass];
  }

 private:
  static __device__ __forceinline__ int along() { return static_cast<int>(threadIdx.x) % CONTIGUOUS; }
  static __device__ __forceinline__ int line_of(int pass) {
    return static_cast<int>(threadIdx.x) / CONTIGUOUS + pass * LINES_PER_PASS;
  }
  static __device__ __forceinline__ int mn_of(int pass) { return MAJOR == Major::mn ? along() : line_of(pass); }
  static __device__ __forceinline__ int k_of(int pass) { return MAJOR == Major::mn ? line_of(pass) : along(); }
};

/// Rows of a KRowTile as they come: BK rows of EXTENT floats.
struct PlainRows {
  static constexpr int SKEW = 0;
  static constexpr int PERIOD = vec;
  static __device__ __forceinline__ int column(int mn, int) { return mn; }
};

/// Rows that are one quad longer than the tile is wide: the rows of the second quad of k start half a warp
/// of banks after those of the first.
struct PaddedRows {
  static constexpr int SKEW = vec;
  static constexpr int PERIOD = vec;
  static __device__ __forceinline__ int column(int mn, int) { return mn; }
};

/// A tile of BK rows, one for each k, whatever the operand's order; filled 128 bits an access.
///
/// An mn-major quad is stored as it came. A k-major quad is transposed: four stores, one in each of four
/// rows; a warp then holds two quads of k (one 32-byte sector of global memory) of each of 16 rows or
/// columns. `Rows` says at which column of its row an element lies: quads along mn stay together, and what
/// happens to them repeats every PERIOD columns.
template <Major MAJOR, int EXTENT, int BK, int THREADS, class Rows>
struct KRowTile {
  static constexpr int PERIOD = MAJOR == Major::mn ? vec : Rows::PERIOD;
  static constexpr int PASSES = EXTENT * BK / vec / THREADS;
  static constexpr int SECTOR_QUADS = 2;
  static_assert(EXTENT * BK % (vec * THREADS) == 0, "the passes cover the tile exactly, a quad a thread");
  static_assert(EXTENT % vec == 0 && Rows::SKEW % vec == 0, "a row holds whole quads");
  static_assert(BK % (vec * SECTOR_QUADS) == 0, "a slab is whole 32-byte sectors deep");

  struct Part {
    float quad[PASSES][vec];
  };

  alignas(sizeof(float4)) float row[BK][EXTENT + Rows::SKEW];

  /// The quad (mn + offset .. mn + offset + 3, k). The offset, a multiple of Rows::PERIOD, stays out of the
  /// address arithmetic that Rows asks for.
  __device__ __forceinline__ const float4& quad_at(int mn, int offset, int k) const {
    return *reinterpret_cast<const float4*>(&row[k][column(mn, k) + offset]);
  }

  /// This thread's part of the panel's first slab.
  static __device__ __forceinline__ Part fetch(const Panel<MAJOR>& panel) {
    const bool fits = panel.quads_aligned && panel.mn_extent >= EXTENT && panel.k_extent >= BK;
    Part part;
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) {
      const float* from = panel.at(mn_of(pass), k_of(pass));
      float(&quad)[vec] = part.quad[pass];
      if (fits) {
        const auto whole = *reinterpret_cast<const float4*>(from);
        quad[0] = whole.x, quad[1] = whole.y, quad[2] = whole.z, quad[3] = whole.w;
      } else {
        const int inside = quad_inside(panel.mn_extent - mn_of(pass), panel.k_extent - k_of(pass));
#pragma unroll
        for (int i = 0; i < vec; ++i) quad[i] = i < inside ? from[i] : 0.0f;
      }
    }
    return part;
  }

  __device__ __forceinline__ void deposit(const Part& part) {
#pragma unroll
    for (int pass = 0; pass < PASSES; ++pass) {
      const int mn = mn_of(pass);
      const int k = k_of(pass);
      const float(&quad)[vec] = part.quad[pass];
      if constexpr (MAJOR == Major::mn) {
        *reinterpret_cast<float4*>(&row[k][column(mn, k)]) = make_float4(quad[0], quad[1], quad[2], quad[3]);
      } else {
#pragma unroll
        for (int i = 0; i < vec; ++i) row[k + i][column(mn, k + i)] = quad[i];
      }
    }
  }

 private:
  static __device__ __forceinline__ int index_of(int pass) { return static_cast<int>(threadIdx.x) + pass * THREADS; }
  static __device__ __forceinline__ int mn_of(int pass) {
    const int index = index_of(pass);
    return MAJOR == Major::mn ? index % (EXTENT / vec) * vec : index / SECTOR_QUADS % EXTENT;
  }
  static __device__ __forceinline__ int k_of(int pass) {
    const int index = index_of(pass);
    if (MAJOR == Major::mn) return index / (EXTENT / vec);
    return (index / (SECTOR_QUADS * EXTENT) * SECTOR_QUADS + index % SECTOR_QUADS) * vec;
  }
  // Only transposing stores have conflicts to get out of the way of.
  static __device__ __forceinline__ int column(int mn, int k) { return MAJOR == Major::mn ? mn : Rows::column(mn, k); }
  // How many floats of a quad lie inside the operand, given what is left of it from the quad's first on.
  static __device__ __forceinline__ int quad_inside(int mn_left, std::int64_t k_left) {
    if (mn_left <= 0 || k_left <= 0) return 0;
    if (MAJOR == Major::mn) return mn_left;
    return k_left < vec ? static_cast<int>(k_left) : vec;
  }
};

}  // namespace ladder::LADDER_DEVICE
