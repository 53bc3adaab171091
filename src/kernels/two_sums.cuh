// SPDX-License-Identifier: MIT
// A sum in two numbers: a large one, and a small one that takes up what the large one loses to rounding.
#pragma once

#include "device.cuh"

namespace ladder::LADDER_DEVICE {

/// sum += term, rounded to nearest. Returns what is lost by that, sum + term - (rounded sum), which is exact, whichever
/// of the two is larger (Knuth, "The Art of Computer Programming", volume 2, section 4.2.2).
__device__ __forceinline__ float add_with_loss(float& sum, float term) {
  const float before = sum;
  sum = __fadd_rn(before, term);
  const float of_term = __fadd_rn(sum, -before);
  const float of_before = __fadd_rn(sum, -of_term);
  return __fadd_rn(__fadd_rn(before, -of_before), __fadd_rn(term, -of_term));
}

}  // namespace ladder::LADDER_DEVICE
