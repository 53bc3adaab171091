// SPDX-License-Identifier: MIT
// What kind of problem a call is, by its extents alone: the rows of the summary. Pure functions.
#pragma once

#include <cstdint>

#include "gemm_problem.hpp"

namespace ladder::shim {

/// The words of the field for shapes of products; the first that fits. tools/bench/shapes.csv uses the same words, and
/// beside them some for where a shape comes from, which extents cannot tell.
enum class ShapeClass : std::uint8_t {
  unknown,        ///< nobody looked: a call that is not ours to serve
  empty,          ///< m, n, k or the batch is 0
  batched_array,  ///< a batch whose matrices' addresses stand in arrays
  batched,        ///< a batch of more than one product, a stride apart
  large_k,        ///< k at least large_k_ratio times the longer side of C: inner products
  decode,         ///< a side of C of at most decode_side: a matrix times a few vectors, as in decoding tokens
  small_k,        ///< k at most small_k_extent, and small_k_ratio times below the shorter side of C: outer products
  skinny,         ///< a side of C of at most skinny_side, the other at least skinny_ratio times as long
  square,         ///< m, n and k within a factor of square_ratio of each other
  rectangular,    ///< none of these
};

inline constexpr int shape_class_count = 10;

inline constexpr std::int64_t large_k_ratio = 32;
inline constexpr std::int64_t decode_side = 8;
inline constexpr std::int64_t small_k_extent = 64;
inline constexpr std::int64_t small_k_ratio = 4;
inline constexpr std::int64_t skinny_side = 256;
inline constexpr std::int64_t skinny_ratio = 16;
inline constexpr std::int64_t square_ratio = 2;

ShapeClass shape_class_of(const GemmProblem& problem);

/// As the enumerator is spelled; "-" for `unknown`.
const char* shape_class_name(ShapeClass shape);

/// 2 m n k for each product of the batch.
double nominal_flops(const GemmProblem& problem);

}  // namespace ladder::shim
