// SPDX-License-Identifier: MIT
// The GPU side of plane_words.cuh.
#pragma once

#include <cstdint>

namespace ladder::gpu {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define LADDER_PACK(instruction) asm(instruction " %0, %1, %2;" : "=r"(pair) : "f"(upper), "f"(lower))
#else
#define LADDER_PACK(instruction) pair = 0, __trap()
#endif

__device__ __forceinline__ std::uint32_t pack_bf16(float lower, float upper) {
  std::uint32_t pair;
  LADDER_PACK("cvt.rn.bf16x2.f32");
  return pair;
}

__device__ __forceinline__ std::uint32_t pack_fp16(float lower, float upper) {
  std::uint32_t pair;
  LADDER_PACK("cvt.rn.f16x2.f32");
  return pair;
}

#undef LADDER_PACK

__device__ __forceinline__ std::uint32_t bits_of(float number) { return __float_as_uint(number); }
__device__ __forceinline__ float number_of(std::uint32_t bits) { return __uint_as_float(bits); }

__device__ __forceinline__ float larger_magnitude(float a, float b) {
#if __CUDA_ARCH__ >= 800
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(fabsf(b)));
  return larger;
#else
  return number_of(max(bits_of(a), bits_of(fabsf(b))));
#endif
}

__device__ __forceinline__ float lower_bf16(std::uint32_t pair) { return number_of(pair << 16); }
__device__ __forceinline__ float upper_bf16(std::uint32_t pair) { return number_of(pair & 0xffff0000u); }

__device__ __forceinline__ float lower_fp16(std::uint32_t pair) {
  float number;
  asm("{ .reg .b16 lower, upper; mov.b32 {lower, upper}, %1; cvt.f32.f16 %0, lower; }" : "=f"(number) : "r"(pair));
  return number;
}

__device__ __forceinline__ float upper_fp16(std::uint32_t pair) {
  float number;
  asm("{ .reg .b16 lower, upper; mov.b32 {lower, upper}, %1; cvt.f32.f16 %0, upper; }" : "=f"(number) : "r"(pair));
  return number;
}

template <int LANES>
__device__ __forceinline__ std::uint32_t largest_in_lanes(std::uint32_t value) {
  constexpr unsigned whole_warp = 0xffffffffu;
#pragma unroll
  for (int mask = 1; mask < LANES; mask *= 2) value = max(value, __shfl_xor_sync(whole_warp, value, mask));
  return value;
}

#if __CUDA_ARCH__ >= 800
template <>
__device__ __forceinline__ std::uint32_t largest_in_lanes<32>(std::uint32_t value) {
  return __reduce_max_sync(0xffffffffu, value);
}
#endif

template <int LANES>
__device__ __forceinline__ std::uint32_t sum_in_lanes(std::uint32_t value) {
  constexpr unsigned whole_warp = 0xffffffffu;
#pragma unroll
  for (int mask = 1; mask < LANES; mask *= 2) value += __shfl_xor_sync(whole_warp, value, mask);
  return value;
}

__device__ __forceinline__ void store_chunk(unsigned char* to, const std::uint32_t (&words)[4]) {
  *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
}

}  // namespace ladder::gpu
