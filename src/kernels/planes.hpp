// SPDX-License-Identifier: MIT
// How op(A) and op(B) lie in memory once they have been written for the tensor cores: each element as one to three
// narrower numbers, its planes, in the very order in which a multiprocessor's shared memory will hold them, so that a
// tile of any height is one piece of memory for each slab.
//
// A row is a row of op(A) or a column of op(B). Eight rows by one slab of 32 k are a cell; the cells of a slab follow
// each other by rows, the slabs by k, the products of a batch by their number. Rows and k beyond the operand are zeros
// up to the end of their cell; further cells may be read, as tiles reach over the edge, and hold anything.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ladder {

enum class PlaneFormat : std::uint8_t {
  tf32,    ///< one plane, rounded to nearest
  bf16x3,  ///< x * 2^16 = high + middle + low, without a rest; 2^16, so that no subnormal of FP32 is lost
  fp16x2,  ///< x / scale = high + low, where a scale belongs to a row and 64 k
};

inline constexpr int slab_k = 32;
inline constexpr int rows_of_cell = 8;
inline constexpr int scaled_k = 64;         ///< k that share a scale (PlaneFormat::fp16x2)
inline constexpr int bf16x3_exponent = 16;  ///< the power of two in PlaneFormat::bf16x3
inline constexpr int chunk_bytes = 16;      ///< what moves as one when the chunks of a row are permuted

/// What follows from a format.
struct PlaneLayout {
  int planes;
  int element_bytes;
  int row_bytes;        ///< of a row in a cell, or in one plane of it where each plane has rows of its own
  int planes_of_a_row;  ///< planes that share a row, one after the other: 1 or all
  int cell_bytes;

  constexpr int chunks_of_row() const { return row_bytes / chunk_bytes; }
};

/// bf16x3: three planes one after the other, each of 8 rows of 64 bytes. fp16x2: 8 rows of 128 bytes, high before low.
/// tf32: 8 rows of 128 bytes.
constexpr PlaneLayout plane_layout(PlaneFormat format) {
  switch (format) {
    case PlaneFormat::bf16x3:
      return {3, 2, 64, 1, 3 * rows_of_cell * 64};
    case PlaneFormat::fp16x2:
      return {2, 2, 128, 2, rows_of_cell * 128};
    case PlaneFormat::tf32:
      break;
  }
  return {1, 4, 128, 1, rows_of_cell * 128};
}

/// Where chunk number `chunk` of row `row` (0 to 7) of a cell lies in that row: as the 64-byte and 128-byte swizzles of
/// Hopper's shared memory have it (PTX ISA, shared memory matrix layout), which keep the eight rows of a column of
/// chunks in different banks.
constexpr int swizzled_chunk(const PlaneLayout& layout, int row, int chunk) {
  return layout.row_bytes == 64 ? chunk ^ ((row >> 1) & 3) : chunk ^ (row & 7);
}

/// Byte of element (row 0 to 7, k 0 to 31) of a plane in its cell.
constexpr int place_in_cell(const PlaneLayout& layout, int plane, int row, int k) {
  const int shared = layout.planes_of_a_row > 1 ? 1 : 0;
  const int byte = (shared ? plane * slab_k + k : k) * layout.element_bytes;
  const int own_rows = shared ? 0 : plane * rows_of_cell * layout.row_bytes;
  return own_rows + row * layout.row_bytes + swizzled_chunk(layout, row, byte / chunk_bytes) * chunk_bytes +
         byte % chunk_bytes;
}

/// Two planes that are multiplied with each other; 0 is the high one.
struct PlanePair {
  int a;
  int b;
};

/// How many pairs a product takes: those left out are below 2^-24 of it (bf16x3), 2^-22 (fp16x2).
constexpr int plane_pairs(PlaneFormat format) {
  return format == PlaneFormat::bf16x3 ? 6 : format == PlaneFormat::fp16x2 ? 3 : 1;
}

/// Pair number `i`: what is small first, the two high planes last.
constexpr PlanePair plane_pair(PlaneFormat format, int i) {
  constexpr PlanePair of_bf16x3[] = {{0, 2}, {2, 0}, {1, 1}, {0, 1}, {1, 0}, {0, 0}};
  constexpr PlanePair of_fp16x2[] = {{0, 1}, {1, 0}, {0, 0}};
  return format == PlaneFormat::bf16x3 ? of_bf16x3[i] : format == PlaneFormat::fp16x2 ? of_fp16x2[i] : PlanePair{0, 0};
}

/// One operand of all products of a batch, as planes.
struct PlaneImage {
  unsigned char* cells = nullptr;   ///< aligned to 1024 bytes
  float* scales = nullptr;          ///< fp16x2: scales[k / scaled_k * rows + row], powers of two; aligned to 16 bytes
  std::uint32_t row_cells = 0;      ///< cells of a slab: rows / 8, rounded up
  std::uint32_t slabs = 0;          ///< k / 32, rounded up
  std::int64_t product_bytes = 0;   ///< from one product's cells to the next one's; 0 where all share an operand
  std::int64_t product_scales = 0;  ///< the same for the scales, in floats

  constexpr std::int64_t rows() const { return std::int64_t{row_cells} * rows_of_cell; }
};

/// What the values of both operands let the tensor cores do: found on the device, read on the device. All of it is 0
/// before the first kernel of a launch and after the last one.
struct RangeFacts {
  std::uint32_t largest_a;  ///< bits of the largest |element|, NaN above all
  std::uint32_t largest_b;
  std::uint32_t beyond_fp16;  ///< not 0: some row and scaled_k of k are too wide or too far out for two planes of fp16
  std::uint32_t finished;     ///< blocks of the last kernel that are done
};

/// Whether a kernel of rung 11 works for itself, or stands behind rung 12 and works where that one may not.
enum class Gate : std::uint8_t { always, unless_fp16 };

/// Both operands and what is known of them: what the kernels of a launch hand to each other.
struct SplitOperands {
  PlaneImage a;                 ///< rows: m
  PlaneImage b;                 ///< rows: n
  RangeFacts* facts = nullptr;  ///< null where the format needs none
};

/// What is known, on the device, of the values of operands whose planes are there before the launch, each as those of
/// an A; null for an operand that is still to be written.
struct KnownFacts {
  const RangeFacts* a = nullptr;
  const RangeFacts* b = nullptr;
};

}  // namespace ladder
