// SPDX-License-Identifier: MIT
// FP32 numbers on their way to the tensor cores, which cut a TF32 number off after ten bits of its mantissa.
#pragma once

#include "device.cuh"

#if defined(LADDER_EMULATED)
#include <bit>
#include <cmath>
#endif

namespace ladder::LADDER_DEVICE {

/// What becomes the TF32 number nearest to x, ties away from zero, where the last 13 bits are cut off. What is finite
/// stays finite, NaN stays NaN; subnormals of FP32 are cut off alone.
///
/// Adding half a unit of x's last place in TF32 does it, as a product of x's power of two. That sum is cut off too, so
/// that it does not become infinite: two instructions, where cvt.rna.tf32 takes three.
__device__ __forceinline__ std::uint32_t nearest_when_cut(float x) {
  constexpr std::uint32_t sign_and_exponent = 0xff800000u;
#if defined(LADDER_EMULATED)
  constexpr std::uint32_t exponent = 0x7f800000u, half_unit = 0x1000u, quiet = 0x00400000u;
  constexpr std::uint32_t largest = 0x7f7fffffu, sign = sign_and_exponent & ~exponent;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return bits | quiet;
  if ((bits & exponent) == 0 || std::isinf(x)) return bits;
  const std::uint32_t rounded = bits + half_unit;
  return (rounded & exponent) == exponent ? (bits & sign) | largest : rounded;
#else
  constexpr float half_unit = 0x1p-11f;
  return __float_as_uint(__fmaf_rz(__uint_as_float(__float_as_uint(x) & sign_and_exponent), half_unit, x));
#endif
}

}  // namespace ladder::LADDER_DEVICE
