// SPDX-License-Identifier: MIT
// CUDA's own words, as a kernel compiled for the emulator reads them.
#pragma once

#include "lane.hpp"

// Kernels use the CPU's fused multiply-add. The code around them does not, so that run_grid() can
// refuse politely on a CPU that has none.
#if defined(__x86_64__)
#define __global__ __attribute__((target("avx2,fma")))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

#define threadIdx (::ladder::simt::lane().thread_index)
#define blockIdx (::ladder::simt::lane().team->block_index)
#define blockDim (::ladder::simt::lane().team->block_dim)
#define gridDim (::ladder::simt::lane().team->grid_dim)

namespace ladder::emulated {

struct alignas(8) float2 {
  float x, y;
};

struct alignas(16) float4 {
  float x, y, z, w;
};

__forceinline__ float2 make_float2(float x, float y) { return {x, y}; }
__forceinline__ float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

__forceinline__ float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__forceinline__ float __fmul_rn(float a, float b) { return a * b; }
__forceinline__ float __fadd_rn(float a, float b) { return a + b; }
__forceinline__ float __fdividef(float a, float b) { return a / b; }

inline void __syncthreads() {
  simt::Lane& lane = simt::lane();
  lane.team->sync_block(lane);
}

/// All lanes of the warp; no part of a warp can be named.
inline void __syncwarp() {
  simt::Lane& lane = simt::lane();
  lane.team->sync_warp(lane);
}

}  // namespace ladder::emulated
