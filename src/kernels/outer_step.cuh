// SPDX-License-Identifier: MIT
// One step of k for a thread that holds a tile of results: the outer product of two fragments.
#pragma once

#include "device.cuh"

namespace ladder::LADDER_DEVICE {

/// sum += a_frag * b_frag. The serpentine order lets neighbouring FMAs share a register operand, which the register
/// file's reuse cache then serves.
template <int TM, int TN>
__device__ __forceinline__ void add_outer_product(float (&sum)[TN][TM], const float (&a_frag)[TM],
                                                  const float (&b_frag)[TN]) {
#pragma unroll
  for (int j = 0; j < TN; ++j) {
#pragma unroll
    for (int step = 0; step < TM; ++step) {
      const int i = j % 2 ? TM - 1 - step : step;
      sum[j][i] = __fmaf_rn(a_frag[i], b_frag[j], sum[j][i]);
    }
  }
}

}  // namespace ladder::LADDER_DEVICE
