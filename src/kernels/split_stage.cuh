// SPDX-License-Identifier: MIT
// A piece of an operand on its way from memory, in whatever order it lies there, to the threads that split it.
#pragma once

#include "operand.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

inline constexpr int SPLIT_THREADS = 256;
inline constexpr int SPLIT_WARPS = SPLIT_THREADS / warp_size;
inline constexpr int SPLIT_EXTENT = 64;  ///< rows, and k, of the piece that a block splits
inline constexpr int SPLIT_SLABS = SPLIT_EXTENT / slab_k;
inline constexpr unsigned lanes_of_row = warp_size / rows_of_cell;  ///< a warp splits a cell
inline constexpr unsigned elements_of_lane = slab_k / lanes_of_row;

static_assert(SPLIT_WARPS * rows_of_cell == SPLIT_EXTENT, "each warp has eight rows");
static_assert(SPLIT_EXTENT == scaled_k, "a block sees all that share a scale");

/// What of an operand a block splits. A line is contiguous in memory.
struct SplitSource {
  const float* origin;
  std::int64_t ld;  ///< elements between two lines
  int rows;         ///< that there are, up to SPLIT_EXTENT
  int ks;           ///< the same along k
  bool k_major;     ///< a line goes along k, not along the rows

  __device__ __forceinline__ int lines() const { return k_major ? rows : ks; }
  __device__ __forceinline__ int along() const { return k_major ? ks : rows; }
};

/// The piece in shared memory, line by line, zeros where the operand has ended.
///
/// CHUNK elements are one chunk of a plane. The lanes of a row have neighbouring chunks, and each of them reads its own
/// in quads, or, from lines along the rows, one by one. The quads of a line are permuted so that neither has lanes meet
/// in a bank: by the parity of a line along k, as two rows are read at a time, or by the chunk that a line along the
/// rows belongs to. Numbers are unsigned here: less work for the compiler's divisions by powers of two.
template <unsigned CHUNK>
struct SplitStage {
  static constexpr unsigned LINE = SPLIT_EXTENT;
  static constexpr unsigned QUADS = LINE / vec;
  static constexpr unsigned ELEMENTS_UNROLLED = 4;

  float lines[LINE * LINE];

  __device__ __forceinline__ static unsigned permutation(bool k_major, unsigned line) {
    constexpr unsigned odd_line = 5;
    return k_major ? line % 2 * odd_line : permutation_of_chunk(line / CHUNK % lanes_of_row);
  }
  __device__ __forceinline__ static unsigned permutation_of_chunk(unsigned lane) { return lane * 2; }

  /// Sends the whole piece on its way; the block's threads together, up to wait_for_copies() and a barrier.
  __device__ __forceinline__ void fetch(const SplitSource& from) {
    if (!quads_aligned(from.origin, from.ld)) {
      fetch_elements(from);
    } else if (from.rows == SPLIT_EXTENT && from.ks == SPLIT_EXTENT) {
      fetch_quads<true>(from);
    } else {
      fetch_quads<false>(from);
    }
    close_copies();
  }

  template <bool WHOLE>
  __device__ __forceinline__ void fetch_quads(const SplitSource& from) {
    constexpr unsigned step = SPLIT_THREADS / QUADS;
    const unsigned quad = threadIdx.x % QUADS;
    const unsigned first = threadIdx.x / QUADS;
    const int bytes = quad_bytes(from.along() - static_cast<int>(quad * vec));
    const float* gmem = from.origin + quad * vec + first * from.ld;
#pragma unroll
    for (unsigned i = 0; i < LINE / step; ++i) {
      const unsigned line = first + i * step;
      float* smem = &lines[line * LINE + (quad ^ permutation(from.k_major, line)) * vec];
      if constexpr (WHOLE) {
        async_copy<vec * sizeof(float)>(smem, gmem);
      } else {
        async_copy_some(smem, gmem, static_cast<int>(line) < from.lines() ? bytes : 0);
      }
      gmem += step * from.ld;
    }
  }

  __device__ __forceinline__ void fetch_elements(const SplitSource& from) {
    constexpr unsigned step = SPLIT_THREADS / LINE;
    const unsigned at = threadIdx.x % LINE;
    const int lines_left = static_cast<int>(at) < from.along() ? from.lines() : 0;
    const float* gmem = from.origin + at + threadIdx.x / LINE * from.ld;
#pragma unroll ELEMENTS_UNROLLED
    for (unsigned line = threadIdx.x / LINE; line < LINE; line += step, gmem += step * from.ld) {
      float* smem = &lines[line * LINE + (at / vec ^ permutation(from.k_major, line)) * vec + at % vec];
      if (static_cast<int>(line) < lines_left) {
        async_copy<sizeof(float)>(smem, gmem);
      } else {
        *smem = 0.0f;
      }
    }
  }

  /// The elements of a row and a slab that lane `lane` of the row splits, chunk after chunk.
  __device__ __forceinline__ void read(bool k_major, unsigned row, unsigned slab, unsigned lane, float* x) const {
    const float* line = &lines[row * LINE];
    const float* column = &lines[lane * CHUNK * LINE + (row / vec ^ permutation_of_chunk(lane)) * vec + row % vec];
#pragma unroll
    for (unsigned i = 0; i < elements_of_lane; i += vec) {
      if (k_major) {
        const unsigned quad = (slab * slab_k + k_of(i, lane)) / vec;
        const auto four = *reinterpret_cast<const float4*>(line + (quad ^ permutation(true, row)) * vec);
        x[i] = four.x, x[i + 1] = four.y, x[i + 2] = four.z, x[i + 3] = four.w;
      } else {
#pragma unroll
        for (unsigned j = 0; j < vec; ++j) x[i + j] = column[(slab * slab_k + k_of(i + j, 0)) * LINE];
      }
    }
  }

  /// Where in its slab element `i` of lane `lane` of a row lies.
  __device__ __forceinline__ static constexpr unsigned k_of(unsigned i, unsigned lane) {
    return (i / CHUNK * lanes_of_row + lane) * CHUNK + i % CHUNK;
  }

 private:
  /// Of a quad that begins `left` elements before the end of its line.
  __device__ __forceinline__ static int quad_bytes(int left) {
    return (left < 0 ? 0 : left < vec ? left : vec) * static_cast<int>(sizeof(float));
  }
};

}  // namespace ladder::LADDER_DEVICE
