// SPDX-License-Identifier: MIT
// alpha, beta and the store of C: one formula for every rung, so that equal sums give equal bits.
#pragma once

#include "scalars.cuh"

namespace ladder::LADDER_DEVICE {

/// The new value of one element of C. beta = 0 does not read it. Selects, not branches: this is unrolled over
/// all results of a thread.
__device__ __forceinline__ float blend(const Scalars& s, float sum, const float* c) {
  const bool keeps_c = s.beta != 0.0f;
  const float old = keeps_c ? *c : 0.0f;
  const float product = __fmul_rn(s.alpha, sum);
  const float scaled = s.alpha == 0.0f ? __fmul_rn(s.beta, old) : __fmaf_rn(s.beta, old, product);
  const float fresh = s.alpha == 0.0f ? 0.0f : product;
  return keeps_c ? scaled : fresh;
}

/// blend() of four neighbours in a column of C, in 128-bit accesses: c is aligned to 16 bytes.
__device__ __forceinline__ void blend_quad(const Scalars& s, const float* sum, float* c) {
  auto* quad = reinterpret_cast<float4*>(c);
  float4 value = s.beta == 0.0f ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : *quad;
  value.x = blend(s, sum[0], &value.x), value.y = blend(s, sum[1], &value.y);
  value.z = blend(s, sum[2], &value.z), value.w = blend(s, sum[3], &value.w);
  *quad = value;
}

/// The same one by one, of those four that lie in the `rows` rows that C still has.
template <class Rows>
__device__ __forceinline__ void blend_some(const Scalars& s, const float* sum, float* c, Rows rows) {
#pragma unroll
  for (int i = 0; i < vec; ++i) {
    if (i < rows) c[i] = blend(s, sum[i], c + i);
  }
}

}  // namespace ladder::LADDER_DEVICE
