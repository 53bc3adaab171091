// SPDX-License-Identifier: MIT
// The emulator's side of tensor_words.cuh. The lanes of a warp show each other their registers; one of them takes the
// product, as vectors of the CPU do it quicker than 32 lanes by turns.
#pragma once

#include <bit>
#include <cstdint>

#include "device_emulated.hpp"
#include "tensor_product.hpp"

namespace ladder::emulated {

namespace detail {

inline float number_of_bf16(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

/// An exponent of all ones means NaN or infinity in FP32 too; all others are 112 less there, subnormals included.
inline float number_of_fp16(std::uint32_t bits) {
  constexpr std::uint32_t sign = 0x8000u, magnitude = 0x7fffu, infinity = 0x7c00u, fp32_exponent = 0x7f800000u;
  constexpr int more_mantissa = 13;
  const std::uint32_t moved = (bits & magnitude) << more_mantissa;
  const float size = (bits & infinity) == infinity ? std::bit_cast<float>(moved | fp32_exponent)
                                                   : std::bit_cast<float>(moved) * 0x1p112f;
  return (bits & sign) != 0 ? -size : size;
}

inline float number_of_tf32(std::uint32_t bits) {
  constexpr std::uint32_t kept = 0xffffe000u;
  return std::bit_cast<float>(bits & kept);
}

template <int NUMBERS_IN_REGISTER>
inline void multiply_in_warp(simt::TensorLane& mine) {
  simt::Lane& self = simt::lane();
  const unsigned thread = self.thread_index.x;
  const unsigned first = thread - thread % simt::lanes_per_warp;
  if (first + simt::lanes_per_warp > self.team->block_dim.x) simt::give_up(self, emulator_fault);
  self.team->shown[thread] = &mine;
  self.team->sync_warp(self);
  if (thread == first) simt::add_warp_product<NUMBERS_IN_REGISTER>(self.team->shown + first);
  self.team->sync_warp(self);
}

template <float (*NUMBER_OF)(std::uint32_t)>
inline void multiply_halves(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  constexpr std::uint32_t lower = 0xffffu;
  constexpr int bits = 16;
  simt::TensorLane mine;
  mine.sums = d;
  for (int i = 0; i < 4; ++i) mine.a[2 * i] = NUMBER_OF(a[i] & lower), mine.a[2 * i + 1] = NUMBER_OF(a[i] >> bits);
  for (int i = 0; i < 2; ++i) mine.b[2 * i] = NUMBER_OF(b[i] & lower), mine.b[2 * i + 1] = NUMBER_OF(b[i] >> bits);
  multiply_in_warp<2>(mine);
}

}  // namespace detail

inline void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  detail::multiply_halves<detail::number_of_bf16>(d, a, b);
}

inline void mma_fp16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  detail::multiply_halves<detail::number_of_fp16>(d, a, b);
}

inline void mma_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  simt::TensorLane mine;
  mine.sums = d;
  for (int i = 0; i < 4; ++i) mine.a[i] = detail::number_of_tf32(a[i]);
  for (int i = 0; i < 2; ++i) mine.b[i] = detail::number_of_tf32(b[i]);
  detail::multiply_in_warp<1>(mine);
}

}  // namespace ladder::emulated
