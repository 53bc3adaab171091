// SPDX-License-Identifier: MIT
// What a warp does with slabs of planes in shared memory: it multiplies them with the instructions that all tensor
// cores since sm_80 have, and adds up.
//
// The tensor cores add with 24 bits and cut off what lies below (Khattak and Mikaitis, arXiv 2512.07004), an error that
// grows with the number of additions. So the products of the high planes of a chunk of k are added in sums that start
// at 0, and these to the thread's own, rounded to nearest (Ootomo and Yokota, arXiv 2203.03341, section 3: accumulation
// outside). The small products have sums apart, so that they lose nothing to the large ones. In bf16x3 these go on over
// all of k; fp16x2, whose chunks each have scales of their own, adds both kinds up chunk by chunk.
#pragma once

#include "operand.cuh"
#include "planes.hpp"
#include "tensor_epilogue.cuh"
#include "tensor_words.cuh"

namespace ladder::LADDER_DEVICE {

/// A block computes BM x BN of C: BM rows of image A by BN rows of image B; its warps WM x WN each. The instruction's M
/// are rows of image B, its N rows of image A, so that a thread's sums are neighbours in a column of C.
template <PlaneFormat FORMAT_>
struct MmaTile {
  static constexpr PlaneFormat FORMAT = FORMAT_;
  static constexpr PlaneLayout layout = plane_layout(FORMAT);
  static constexpr int PLANES = layout.planes;
  static constexpr int BM = 128;
  static constexpr int BN = 64;
  static constexpr int WM = 32;
  static constexpr int WN = 32;
  static constexpr int WARPS_M = BM / WM;
  static constexpr int THREADS = WARPS_M * (BN / WN) * warp_size;
  static constexpr int STAGES = 2;  // of one chunk each
  static constexpr bool SCALED = FORMAT == PlaneFormat::fp16x2;
  static constexpr int CHUNK_SLABS = SCALED ? scaled_k / slab_k : 1;
  static constexpr TileExtents extents{BM, BN, CHUNK_SLABS* slab_k, STAGES};

  static constexpr int A_BYTES = BM / rows_of_cell * layout.cell_bytes;
  static constexpr int B_BYTES = BN / rows_of_cell * layout.cell_bytes;
  static constexpr int SLAB_BYTES = A_BYTES + B_BYTES;

  static constexpr int MMA_M = 16;
  static constexpr int MMA_N = 8;
  static constexpr int MMA_K = 16;
  static constexpr int FRAGMENTS_M = WN / MMA_M;
  static constexpr int FRAGMENTS_N = WM / MMA_N;
};

/// The chunks in shared memory that are read and that come.
template <class Tile>
struct MmaStages {
  alignas(16) unsigned char cells[Tile::STAGES][Tile::CHUNK_SLABS][Tile::SLAB_BYTES];  ///< of image B, then of image A
  alignas(16) float scales[Tile::SCALED ? Tile::STAGES : 1][Tile::SCALED ? Tile::BN + Tile::BM : vec];
};

/// One thread's part of its warp's sums.
template <class Tile>
class MmaSums {
 public:
  static constexpr int PAIRS = Tile::FRAGMENTS_M * Tile::FRAGMENTS_N * 2;

  __device__ __forceinline__ explicit MmaSums(const BlockTile& block)
      : block_(block),
        group_(static_cast<int>(threadIdx.x) % warp_size / 4),
        member_(static_cast<int>(threadIdx.x) % 4),
        m_(static_cast<int>(threadIdx.x) / warp_size % Tile::WARPS_M * Tile::WM),
        n_(static_cast<int>(threadIdx.x) / warp_size / Tile::WARPS_M * Tile::WN) {}

  /// True where the warp has any sum inside C.
  __device__ __forceinline__ bool inside() const { return inside(0, 0); }

  /// Adds the products of the `slabs` slabs of stage number `stage`.
  __device__ __forceinline__ void add_chunk(const MmaStages<Tile>& stages, int stage, int slabs) {
    Sums large = {};
    if constexpr (Tile::SCALED) {
      Sums small = {};
      multiply(large, small, stages.cells[stage], slabs);
      promote(large, small, stages.scales[stage]);
    } else {
      multiply(large, small_, stages.cells[stage], slabs);
      promote(large);
    }
  }

  /// Pair number `i` of this thread, and where it stands in the block's tile.
  __device__ __forceinline__ TilePair pair(int i) const {
    const PairPlace at = place(i);
    return {at.row, at.column, {sum(2 * i), sum(2 * i + 1)}};
  }

  __device__ __forceinline__ PairPlace place(int i) const {
    const int fragment_m = i / 2 / Tile::FRAGMENTS_N;
    const int fragment_n = i / 2 % Tile::FRAGMENTS_N;
    return {m_ + fragment_n * Tile::MMA_N + member_ * 2, n_ + fragment_m * Tile::MMA_M + i % 2 * rows_of_cell + group_};
  }

 private:
  using Sums = float[Tile::FRAGMENTS_M][Tile::FRAGMENTS_N][4];

  static constexpr int SUMS = 2 * PAIRS;

  /// Number `i` of a thread's, two for each pair.
  static __device__ __forceinline__ float& number(Sums& sums, int i) {
    return sums[i / 4 / Tile::FRAGMENTS_N][i / 4 % Tile::FRAGMENTS_N][i % 4];
  }
  static __device__ __forceinline__ float number(const Sums& sums, int i) {
    return sums[i / 4 / Tile::FRAGMENTS_N][i / 4 % Tile::FRAGMENTS_N][i % 4];
  }

  /// A finished sum.
  __device__ __forceinline__ float sum(int i) const {
    if constexpr (Tile::SCALED) return number(total_, i);
    return __fadd_rn(number(total_, i), number(small_, i));
  }

  __device__ __forceinline__ bool inside(int fragment_m, int fragment_n) const {
    return m_ + fragment_n * Tile::MMA_N < block_.rows && n_ + fragment_m * Tile::MMA_M < block_.columns;
  }

  /// Two numbers of a plane: of row `group` of a cell, at k and k + 1.
  __device__ __forceinline__ std::uint32_t word(const unsigned char* cells, int row, int plane, int k) const {
    constexpr PlaneLayout layout = Tile::layout;
    const int in_cell = place_in_cell(layout, plane, group_, k + member_ * 2);
    return *reinterpret_cast<const std::uint32_t*>(cells + row / rows_of_cell * layout.cell_bytes + in_cell);
  }

  __device__ __forceinline__ static void multiply_add(float (&d)[4], const std::uint32_t (&b)[4],
                                                      const std::uint32_t (&a)[2]) {
    if constexpr (Tile::FORMAT == PlaneFormat::bf16x3) {
      mma_bf16(d, b, a);
    } else {
      mma_fp16(d, b, a);
    }
  }

  __device__ __forceinline__ void multiply(Sums& large, Sums& small,
                                           const unsigned char (&cells)[Tile::CHUNK_SLABS][Tile::SLAB_BYTES],
                                           int slabs) const {
#pragma unroll
    for (int slab = 0; slab < Tile::CHUNK_SLABS; ++slab) {
      if (slab < slabs) {
#pragma unroll
        for (int k = 0; k < slab_k; k += Tile::MMA_K) multiply(large, small, cells[slab], k);
      }
    }
  }

  /// All pairs of planes over MMA_K of k.
  __device__ __forceinline__ void multiply(Sums& large, Sums& small, const unsigned char* cells, int k) const {
    constexpr int half = Tile::MMA_K / 2;
    std::uint32_t b[Tile::PLANES][Tile::FRAGMENTS_M][4];
    std::uint32_t a[Tile::PLANES][Tile::FRAGMENTS_N][2];
#pragma unroll
    for (int plane = 0; plane < Tile::PLANES; ++plane) {
#pragma unroll
      for (int i = 0; i < Tile::FRAGMENTS_M * 4; ++i) {
        const int row = n_ + i / 4 * Tile::MMA_M + i % 2 * rows_of_cell;
        b[plane][i / 4][i % 4] = word(cells, row, plane, k + i % 4 / 2 * half);
      }
#pragma unroll
      for (int i = 0; i < Tile::FRAGMENTS_N * 2; ++i) {
        const int row = m_ + i / 2 * Tile::MMA_N;
        a[plane][i / 2][i % 2] = word(cells + Tile::B_BYTES, row, plane, k + i % 2 * half);
      }
    }
    constexpr int pairs = plane_pairs(Tile::FORMAT);
#pragma unroll
    for (int i = 0; i < pairs; ++i) {
      const PlanePair pair = plane_pair(Tile::FORMAT, i);
      Sums& sums = i == pairs - 1 ? large : small;
#pragma unroll
      for (int fragment = 0; fragment < Tile::FRAGMENTS_M * Tile::FRAGMENTS_N; ++fragment) {
        const int fragment_m = fragment / Tile::FRAGMENTS_N;
        const int fragment_n = fragment % Tile::FRAGMENTS_N;
#if defined(LADDER_EMULATED)  // a GPU would lose more by the branch
        if (!inside(fragment_m, fragment_n)) continue;
#endif
        multiply_add(sums[fragment_m][fragment_n], b[pair.b][fragment_m], a[pair.a][fragment_n]);
      }
    }
  }

  /// Adds a chunk's sums to the thread's own: FP32, rounded to nearest.
  __device__ __forceinline__ void promote(const Sums& large, const Sums& small, const float* scales) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
      const PairPlace at = place(i / 2);
      const float sum = __fadd_rn(number(small, i), number(large, i));
      float& total = number(total_, i);
      total = __fmaf_rn(__fmul_rn(sum, scales[at.column]), scales[Tile::BN + at.row + i % 2], total);
    }
  }

  __device__ __forceinline__ void promote(const Sums& large) {
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
      float& total = number(total_, i);
      total = __fadd_rn(total, number(large, i));
    }
  }

  BlockTile block_;
  int group_;   // of its warp's lanes: what the instruction's fragments go by
  int member_;  // of that group
  int m_;       // where the warp's rows of C begin in the block's tile
  int n_;       // and its columns
  Sums total_ = {};
  Sums small_ = {};  // what belongs to it
};

}  // namespace ladder::LADDER_DEVICE
