// SPDX-License-Identifier: MIT
// How r09_small_batch.cu moves the matrices of several products to and from shared memory, and reads them there.
#pragma once

#include <algorithm>

#include "finish.cuh"

namespace ladder::LADDER_DEVICE {

inline constexpr int SMALL_THREADS = 128;

/// Division by a number that the host knows, exact where both are below 2^15.
struct Divisor {
  std::uint32_t reciprocal;

  static Divisor by(std::int64_t number) {
    return {static_cast<std::uint32_t>(ceil_div(std::int64_t{1} << shift, number))};
  }
  __device__ __forceinline__ int quotient(int dividend) const {
    return static_cast<int>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(dividend)) * reciprocal >> shift);
  }

 private:
  static constexpr int shift = 31;
};

/// How the A, B or C of a block's products lie in shared memory: line after line as in global memory, each beginning
/// on a 16-byte boundary.
struct SmallMatrix {
  int lines;
  int extent;          ///< floats in a line
  int line_floats;     ///< from one line to the next
  int product_floats;  ///< from one product to the next
  int pieces;          ///< of a line: quads, or single floats where `quads` is false
  Divisor by_pieces;
  Divisor by_lines;
  bool quads;  ///< every line is aligned to 16 bytes in global memory, too; of addresses in arrays: if the first one is
  bool run;    ///< all lines of all products follow each other without a gap, in both memories
};

/// Floats between the lines, and between the products, of a matrix in global memory.
struct SmallStrides {
  std::int64_t line;
  std::int64_t product;
};

// ---------------------------------------------------------------------------------------- copies

/// A piece of a line of one of several matrices.
struct SmallPiece {
  int product;
  int line;
  int position;  ///< of its first float in the line
  int left;      ///< floats of the line from there on

  __device__ __forceinline__ SmallPiece(const SmallMatrix& matrix, int piece) {
    const int all_lines = matrix.by_pieces.quotient(piece);
    product = matrix.by_lines.quotient(all_lines);
    line = all_lines - product * matrix.lines;
    position = (matrix.quads ? vec : 1) * (piece - all_lines * matrix.pieces);
    left = matrix.extent - position;
  }

  /// Where it lies in shared memory.
  __device__ __forceinline__ int place(const SmallMatrix& matrix) const {
    return product * matrix.product_floats + line * matrix.line_floats + position;
  }
};

/// Calls each(piece) for this thread's pieces of the matrices of `products` products.
template <class Each>
__device__ __forceinline__ void for_each_small_piece(const SmallMatrix& matrix, int products, const Each& each) {
  const int pieces = products * matrix.lines * matrix.pieces;
#pragma unroll 1
  for (int piece = threadIdx.x; piece < pieces; piece += SMALL_THREADS) each(SmallPiece(matrix, piece));
}

/// Calls each(from or to, in shared memory) for this thread's pieces of the matrices of `products` products;
/// neighbouring threads get neighbouring pieces. Both are offsets in floats; `left` counts the floats of the line from
/// there on.
template <class Each>
__device__ __forceinline__ void for_each_piece(const SmallMatrix& matrix, const SmallStrides& strides, int products,
                                               const Each& each) {
  const int pieces = products * matrix.lines * matrix.pieces;
  const int width = matrix.quads ? vec : 1;
  if (matrix.run) {
#pragma unroll 4
    for (int piece = threadIdx.x; piece < pieces; piece += SMALL_THREADS) {
      each(static_cast<std::int64_t>(width * piece), width * piece, vec);
    }
    return;
  }
#pragma unroll 2
  for (int piece = threadIdx.x; piece < pieces; piece += SMALL_THREADS) {
    const SmallPiece at(matrix, piece);
    each(at.product * strides.product + at.line * strides.line + at.position, at.place(matrix), at.left);
  }
}

/// Starts the copies of `products` matrices from `gmem` on.
__device__ __forceinline__ void copy_in(float* smem, const SmallMatrix& matrix, const float* gmem,
                                        const SmallStrides& strides, int products) {
  for_each_piece(matrix, strides, products, [&](std::int64_t from, int to, int left) {
    if (matrix.quads) {
      async_copy_some(smem + to, gmem + from, (left < vec ? left : vec) * int{sizeof(float)});
    } else {
      async_copy<sizeof(float)>(smem + to, gmem + from);
    }
  });
}

/// Blends `products` matrices of sums into C.
__device__ __forceinline__ void copy_out(const float* smem, const SmallMatrix& matrix, const Scalars& s, float* gmem,
                                         const SmallStrides& strides, int products) {
  for_each_piece(matrix, strides, products, [&](std::int64_t to, int from, int left) {
    float* c = gmem + to;
    if (!matrix.quads) {
      *c = blend(s, smem[from], c);
      return;
    }
    const float4 quad = *reinterpret_cast<const float4*>(smem + from);
    const float sum[vec] = {quad.x, quad.y, quad.z, quad.w};
    if (left >= vec) {
      blend_quad(s, sum, c);
    } else {
      blend_some(s, sum, c, left);
    }
  });
}

/// Starts the copies of `products` matrices whose addresses begin at `listed`. Each may be aligned or not.
__device__ __forceinline__ void copy_in_listed(float* smem, const SmallMatrix& matrix, const float* const* listed,
                                               std::int64_t ld, int products) {
  for_each_small_piece(matrix, products, [&](const SmallPiece& at) {
    const float* from = in_global_memory(listed[at.product]) + at.line * ld + at.position;
    float* to = smem + at.place(matrix);
    const int floats = matrix.quads ? (at.left < vec ? at.left : vec) : 1;
    if (matrix.quads && quads_aligned(from, 0)) {
      async_copy_some(to, from, floats * int{sizeof(float)});
    } else {
#pragma unroll 1
      for (int i = 0; i < floats; ++i) async_copy<sizeof(float)>(to + i, from + i);
    }
  });
}

/// The whole epilogue of `products` matrices of sums, from product number `first` on, wherever their C lies.
__device__ __forceinline__ void finish_out(const float* smem, const SmallMatrix& matrix, const Epilogue& epilogue,
                                           const GemmProduct& p, const BatchLayout& layout, const Scalars& s,
                                           std::int64_t first, int products) {
  for_each_small_piece(matrix, products, [&](const SmallPiece& at) {
    GemmProduct own = p;
    own.c = c_at(p, layout, first + at.product);
    const QuadPlace place{at.position, at.line, matrix.quads ? at.left : 1};
    blend_and_finish(epilogue, own, first + at.product, s, place, smem + at.place(matrix));
  });
}

// ---------------------------------------------------------------------------------------- fragments

/// The four rows of op(A), or columns of op(B), of one thread, four k deep. Neighbours where they are neighbours in
/// memory; else as far apart as there are threads, whose reads then fall into different banks.
template <Major MAJOR>
class Fragment {
 public:
  __device__ __forceinline__ Fragment(const SmallMatrix& matrix, const float* smem, int product, int thread,
                                      int threads)
      : first_(MAJOR == Major::mn ? vec * thread : thread),
        step_(MAJOR == Major::mn ? 1 : threads),
        line_(matrix.line_floats),
        origin_(smem + product * matrix.product_floats + (MAJOR == Major::mn ? vec * thread : thread * line_)) {}

  /// Row or column number i of this thread.
  __device__ __forceinline__ int index(int i) const { return first_ + i * step_; }

  /// Reads the `steps` of k from k0 on, or all four of a line: what lies beyond is not used.
  __device__ __forceinline__ void load(int k0, int steps) {
#pragma unroll
    for (int i = 0; i < vec; ++i) {
      if (MAJOR == Major::k) {
        quads_[i] = *reinterpret_cast<const float4*>(origin_ + i * step_ * line_ + k0);
      } else if (i < steps) {
        quads_[i] = *reinterpret_cast<const float4*>(origin_ + (k0 + i) * line_);
      }
    }
  }

  __device__ __forceinline__ float at(int i, int k) const {
    const float4& quad = quads_[MAJOR == Major::mn ? k : i];
    const int component = MAJOR == Major::mn ? i : k;
    return component == 0 ? quad.x : component == 1 ? quad.y : component == 2 ? quad.z : quad.w;
  }

 private:
  int first_;
  int step_;
  int line_;
  const float* origin_;
  float4 quads_[vec];
};

// ---------------------------------------------------------------------------------------- host side

constexpr std::int64_t round_up(std::int64_t value, std::int64_t unit) { return ceil_div(value, unit) * unit; }

/// A matrix in global memory: the first of its batch.
struct SmallSource {
  const float* first;
  SmallStrides strides;
  const BatchLayout& layout;
};

/// `lines` lines of `extent` floats, each `line_floats` long in shared memory, with room for `allocated` of them.
inline SmallMatrix matrix_of(const SmallSource& source, std::int64_t lines, std::int64_t allocated, std::int64_t extent,
                             std::int64_t line_floats) {
  const SmallStrides& strides = source.strides;
  const bool listed = source.layout.c_array != nullptr;
  const bool quads =
      listed ? strides.line % vec == 0 : quads_in_batch(source.layout, source.first, strides.line, strides.product);
  const std::int64_t pieces = quads ? ceil_div(extent, vec) : extent;
  const bool run = !listed && extent == line_floats && extent == strides.line && lines == allocated &&
                   (source.layout.batch == 1 || strides.product == lines * extent);
  return {static_cast<int>(lines),
          static_cast<int>(extent),
          static_cast<int>(line_floats),
          static_cast<int>(allocated * line_floats),
          static_cast<int>(pieces),
          Divisor::by(std::max<std::int64_t>(1, pieces)),
          Divisor::by(std::max<std::int64_t>(1, lines)),
          quads,
          run};
}

/// op(A) or op(B): `mn` rows or columns, k deep. Lines along k are an odd number of quads apart, so that reads of
/// neighbouring lines fall into different banks.
inline SmallMatrix operand_of(const SmallSource& source, bool mn_major, std::int64_t mn, std::int64_t k) {
  if (mn_major) return matrix_of(source, k, k, mn, round_up(mn, vec));
  return matrix_of(source, mn, round_up(mn, vec), k, (ceil_div(k, vec) | 1) * vec);
}

}  // namespace ladder::LADDER_DEVICE
