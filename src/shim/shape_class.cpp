// SPDX-License-Identifier: MIT
#include "shape_class.hpp"

#include <algorithm>

namespace ladder::shim {

// Extents may be as large as their type: limits divide the large one instead of multiplying the small one.
ShapeClass shape_class_of(const GemmProblem& p) {
  if (p.m <= 0 || p.n <= 0 || p.k <= 0 || p.batch <= 0) return ShapeClass::empty;
  if (p.c_array != nullptr) return ShapeClass::batched_array;
  if (p.batch > 1) return ShapeClass::batched;
  const auto [shorter, longer] = std::minmax({p.m, p.n});
  if (p.k / large_k_ratio >= longer) return ShapeClass::large_k;
  if (shorter <= decode_side) return ShapeClass::decode;
  if (p.k <= small_k_extent && shorter / small_k_ratio >= p.k) return ShapeClass::small_k;
  if (shorter <= skinny_side && longer / skinny_ratio >= shorter) return ShapeClass::skinny;
  const auto [least, most] = std::minmax({p.m, p.n, p.k});
  return (most - 1) / square_ratio < least ? ShapeClass::square : ShapeClass::rectangular;
}

const char* shape_class_name(ShapeClass shape) {
  constexpr const char* names[shape_class_count] = {"-",      "empty",   "batched_array", "batched", "large_k",
                                                    "decode", "small_k", "skinny",        "square",  "rectangular"};
  return names[static_cast<int>(shape)];
}

double nominal_flops(const GemmProblem& p) {
  constexpr double flops_per_fma = 2.0;
  return flops_per_fma * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
         static_cast<double>(p.batch);
}

}  // namespace ladder::shim
