// SPDX-License-Identifier: MIT
// The emulator's side of plane_words.cuh.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "tensor_words_emulated.hpp"

namespace ladder::emulated {

inline std::uint32_t bits_of(float number) { return std::bit_cast<std::uint32_t>(number); }
inline float number_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

namespace detail {

inline constexpr std::uint32_t sign_of_fp32 = 0x80000000u;
inline constexpr std::uint32_t infinity_of_fp32 = 0x7f800000u;

/// `bits` without its last DROPPED ones, rounded to nearest, ties to even; a carry into the exponent is right.
template <int DROPPED>
inline std::uint32_t without_last(std::uint32_t bits) {
  constexpr std::uint32_t just_below_half = (1u << (DROPPED - 1)) - 1;
  return (bits + just_below_half + (bits >> DROPPED & 1u)) >> DROPPED;
}

inline std::uint32_t bf16_of(float number) {
  constexpr std::uint32_t nan_of_bf16 = 0x7fffu;
  return number != number ? nan_of_bf16 : without_last<16>(bits_of(number));
}

/// Below 2^-14 FP16 counts in steps of 2^-24, as FP32 does from 0.5 to 1.
inline std::uint32_t fp16_of(float number) {
  constexpr std::uint32_t infinity = 0x7c00u, nan_of_fp16 = 0x7fffu, rebias = 112u << 10;
  constexpr float least_normal = 0x1p-14f, beyond_all = 0x1p16f, steps_of_subnormals = 0.5f;
  const std::uint32_t sign = (bits_of(number) & sign_of_fp32) >> 16;
  const float size = number_of(bits_of(number) & ~sign_of_fp32);
  if (size != size) return nan_of_fp16;
  if (size >= beyond_all) return sign | infinity;
  if (size >= least_normal) return sign | (without_last<13>(bits_of(size)) - rebias);
  return sign | (bits_of(size + steps_of_subnormals) - bits_of(steps_of_subnormals));
}

/// What `combine` makes of the values of LANES neighbouring lanes.
template <int LANES, class Combine>
inline std::uint32_t over_lanes(std::uint32_t value, const Combine& combine) {
  simt::Lane& self = simt::lane();
  const unsigned thread = self.thread_index.x;
  float* exchange = self.team->exchange;
  std::memcpy(exchange + thread, &value, sizeof value);
  self.team->sync_warp(self);
  std::uint32_t all[LANES];
  std::memcpy(all, exchange + thread / LANES * LANES, sizeof all);
  self.team->sync_warp(self);
  std::uint32_t result = all[0];
  for (int i = 1; i < LANES; ++i) result = combine(result, all[i]);
  return result;
}

}  // namespace detail

inline float larger_magnitude(float a, float b) {
  const std::uint32_t magnitude = bits_of(b) & ~detail::sign_of_fp32;
  return magnitude > bits_of(a) ? number_of(magnitude) : a;
}

inline std::uint32_t pack_bf16(float lower, float upper) {
  return detail::bf16_of(lower) | detail::bf16_of(upper) << 16;
}
inline std::uint32_t pack_fp16(float lower, float upper) {
  return detail::fp16_of(lower) | detail::fp16_of(upper) << 16;
}

inline float lower_bf16(std::uint32_t pair) { return detail::number_of_bf16(pair & 0xffffu); }
inline float upper_bf16(std::uint32_t pair) { return detail::number_of_bf16(pair >> 16); }
inline float lower_fp16(std::uint32_t pair) { return detail::number_of_fp16(pair & 0xffffu); }
inline float upper_fp16(std::uint32_t pair) { return detail::number_of_fp16(pair >> 16); }

template <int LANES>
inline std::uint32_t largest_in_lanes(std::uint32_t value) {
  return detail::over_lanes<LANES>(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
}

template <int LANES>
inline std::uint32_t sum_in_lanes(std::uint32_t value) {
  return detail::over_lanes<LANES>(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
}

inline void store_chunk(unsigned char* to, const std::uint32_t (&words)[4]) {
  if (reinterpret_cast<std::uintptr_t>(to) % sizeof words != 0) simt::give_up(simt::lane(), emulator_fault);
  std::memcpy(to, words, sizeof words);
}

}  // namespace ladder::emulated
