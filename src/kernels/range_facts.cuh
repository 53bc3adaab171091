// SPDX-License-Identifier: MIT
// Whether the values of a problem let the tensor cores stand in for FP32 FMAs: asked on the device, by the kernels that
// would do it and by the one that does it otherwise, of what the kernel that wrote the planes has found.
//
// With fields ea and eb of the largest |a| and |b| in FP32 (0 for subnormals, 255 for Inf and NaN), |a| < 2^(ea - 126)
// and |b| < 2^(eb - 126), so the sum of any of an element's k products is below k * 2^(ea + eb - 252).
#pragma once

#include <cstdint>

#include "device.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

/// True where the sum of k products, each times 2^exponent, stays below 2^126. The products of an element's planes
/// exceed the product of the elements by less than 2^-5 of it, and sums are rounded by less than that; FP32 goes on to
/// 2^128, so there is room for both.
__device__ __forceinline__ bool sums_stay_finite(std::uint32_t largest_a, std::uint32_t largest_b, std::int64_t k,
                                                 int exponent) {
  constexpr int mantissa_bits = 23;
  constexpr int limit = 126;         // sums stay below 2^limit
  constexpr int product_bias = 252;  // of the two fields together
  constexpr int widest_extent = 62;  // no k is larger than 2^62
  const int fields = static_cast<int>(largest_a >> mantissa_bits) + static_cast<int>(largest_b >> mantissa_bits);
  const int room = limit + product_bias - exponent - fields;
  return room >= 0 && k <= std::int64_t{1} << (room < widest_extent ? room : widest_extent);
}

/// True where PlaneFormat::bf16x3 gives sums at least as good as FP32 FMAs do.
///
/// Each element times 2^16 is the sum of its planes, without a rest, if it is below 2^111: it stays below 2^127 then
/// (split_element.cuh shows that nothing is lost). The sums of products, 2^32 times too large, stay finite as above. At
/// the other end such sums are kept in steps of 2^-149, which is 2^-181 of the result and 2^-32 of the least number
/// that FP32 has; the multiplication by 2^-32 at the end rounds to that, once.
__device__ __forceinline__ bool serves_bf16x3(const RangeFacts* facts, std::int64_t k) {
  constexpr std::uint32_t two_to_111 = std::uint32_t{111 + 127} << 23;
  const std::uint32_t largest_a = latest(&facts->largest_a);
  const std::uint32_t largest_b = latest(&facts->largest_b);
  return largest_a < two_to_111 && largest_b < two_to_111 &&
         sums_stay_finite(largest_a, largest_b, k, 2 * bf16x3_exponent);
}

/// True where PlaneFormat::fp16x2 gives sums at least as good as FP32 FMAs do.
///
/// Every row of scaled_k of k is 0, or its largest element lies within [2^-90, 2^90] (else beyond_fp16 is set), so its
/// scale, which leaves 2^14 to 2^15 of it, lies within [2^-104, 2^76]. A sum of scaled_k products of planes is below
/// 2^37 and, as planes are multiples of 2^-24, a multiple of 2^-48. Times the scale of b it stays below 2^113; and that
/// is exact unless it falls below 2^-126, which takes a sum below 2^-22: 2^-50 of the product of the two largest
/// elements. Then the rounding, by 2^-150 at most, is 2^-74 of that product, far less than what the planes leave away,
/// 2^-39 of each largest element. The FMA with the scale of a rounds once, to what FP32 has at that place, and its sums
/// stay finite as above.
__device__ __forceinline__ bool serves_fp16x2(const RangeFacts* facts, std::int64_t k) {
  return latest(&facts->beyond_fp16) == 0 &&
         sums_stay_finite(latest(&facts->largest_a), latest(&facts->largest_b), k, 0);
}

/// Whether a kernel that multiplies planes does the problem, as far as the values decide that.
template <PlaneFormat FORMAT>
__device__ __forceinline__ bool is_served(Gate gate, const RangeFacts* facts, std::int64_t k) {
  if constexpr (FORMAT == PlaneFormat::tf32) return true;
  if constexpr (FORMAT == PlaneFormat::fp16x2) return serves_fp16x2(facts, k);
  return !(gate == Gate::unless_fp16 && serves_fp16x2(facts, k)) && serves_bf16x3(facts, k);
}

}  // namespace ladder::LADDER_DEVICE
