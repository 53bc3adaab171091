// SPDX-License-Identifier: MIT
// An element as narrower numbers, for each format of planes.hpp.
#pragma once

#include "plane_words.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

inline constexpr int mantissa_bits = 23;

/// To the nearest number with 10 bits of mantissa, ties away from 0. What is finite stays finite: what would become
/// infinite is cut off instead. NaN stays NaN.
__device__ __forceinline__ std::uint32_t round_to_tf32(float x) {
  constexpr std::uint32_t kept = 0xffffe000u, half = 0x1000u, quiet = 0x00400000u;
  constexpr float too_large = 0x1.ffep127f;  // rounds to 2^128
  const std::uint32_t added = x < too_large && x > -too_large ? half : 0;
  return ((bits_of(x) + added) | (x != x ? quiet : 0)) & kept;
}

/// What elements are multiplied by for PlaneFormat::bf16x3.
inline constexpr float bf16x3_factor = 1 << bf16x3_exponent;

/// Two elements, times 2^16, as three pairs of bf16, high to low.
///
/// Where |x| < 2^111, the planes' sum is x * 2^16 exactly. y = x * 2^16 is exact: it stays below 2^127, and is at least
/// 2^-133 if it is not 0. Let 2^e <= |y| < 2^(e + 1), and u be what y's last bit is worth: u = 2^(e - 23), or 2^-133
/// where that is more (x is subnormal). 2^-133 is the least number of bf16, too, so rounding to bf16 gives multiples of
/// u, and so are all rests. The first rest is at most 2^(e - 8), half of high's last bit: 2^15 units. So FP32 has room
/// for it, and the subtraction is exact. It is below 2^(e - 8), or a power of two, of which bf16 leaves no rest; so the
/// second rest is at most 2^(e - 17), 2^6 units. A number of 7 bits that is a multiple of 2^-133 is a bf16: nothing is
/// left.
__device__ __forceinline__ void split_pair(float first, float second, std::uint32_t (&pairs)[3]) {
#pragma unroll
  for (int plane = 0; plane < 3; ++plane) {
    pairs[plane] = pack_bf16(first, second);
    first -= lower_bf16(pairs[plane]), second -= upper_bf16(pairs[plane]);
  }
}

/// So many elements of a row and scaled_k of k that the planes of fp16 keep less of than 2^-22 are too many.
inline constexpr std::uint32_t losses_limit = 4;

/// A power of two for a row and scaled_k of k, and its reciprocal: what elements are multiplied by.
struct RowScale {
  float scale;
  float factor;
  float kept_from;  ///< magnitude from which on planes keep all but 2^-22 of an element
  bool beyond;      ///< the largest element is too far out
};

/// For a largest |element|, as bits, that becomes 2^14 to 2^15. The scale is 1 where all are 0.
__device__ __forceinline__ RowScale row_scale(std::uint32_t largest) {
  constexpr std::uint32_t bias = 127, becomes = 14, reach = 90, kept_binades = 17;
  constexpr std::uint32_t least = (bias - reach) << mantissa_bits, most = (bias + reach) << mantissa_bits;
  const bool beyond = largest != 0 && (largest < least || largest > most);
  const std::uint32_t exponent = largest == 0 || beyond ? bias + becomes : largest >> mantissa_bits;
  return {number_of((exponent - becomes) << mantissa_bits), number_of((2 * bias + becomes - exponent) << mantissa_bits),
          number_of((exponent - kept_binades) << mantissa_bits), beyond};
}

/// How many of the elements are not 0 and have a magnitude below `limit`.
template <unsigned COUNT>
__device__ __forceinline__ std::uint32_t count_below(const float (&x)[COUNT], float limit) {
  std::uint32_t count = 0;
#pragma unroll
  for (unsigned i = 0; i < COUNT; ++i) count += x[i] < limit && x[i] > -limit && x[i] != 0.0f ? 1 : 0;
  return count;
}

/// Two elements, times a factor that leaves them below 2^15, as two pairs of fp16.
///
/// High is within 2^(e - 11) of y, 2^e <= |y| < 2^(e + 1), and low, which is rounded to a multiple of 2^-24 or to 11
/// bits, within 2^-25 or 2^(e - 23) of that rest, whichever is more. From 2^-3 on, which is 2^-17 of 2^14, that is
/// 2^-22 of y; below, it is 2^-39 of 2^14, so of the largest element (Ootomo and Yokota, "Recovering single precision
/// accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", 2022, scale the second number
/// instead).
__device__ __forceinline__ void split_pair(float first, float second, std::uint32_t (&pairs)[2]) {
  pairs[0] = pack_fp16(first, second);
  pairs[1] = pack_fp16(first - lower_fp16(pairs[0]), second - upper_fp16(pairs[0]));
}

}  // namespace ladder::LADDER_DEVICE
