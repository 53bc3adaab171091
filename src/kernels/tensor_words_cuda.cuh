// SPDX-License-Identifier: MIT
// The GPU side of tensor_words.cuh.
#pragma once

#include <cstdint>

namespace ladder::gpu {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define LADDER_MMA(shape_and_types)                     \
  asm("mma.sync.aligned." shape_and_types               \
      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, " \
      "{%0, %1, %2, %3};"                               \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])  \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#else
#define LADDER_MMA(shape_and_types) __trap()
#endif

__device__ __forceinline__ void mma_bf16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  LADDER_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
}

__device__ __forceinline__ void mma_fp16(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  LADDER_MMA("m16n8k16.row.col.f32.f16.f16.f32");
}

__device__ __forceinline__ void mma_tf32(float (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
  LADDER_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
}

#undef LADDER_MMA

}  // namespace ladder::gpu
