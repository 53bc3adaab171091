// SPDX-License-Identifier: MIT
// A sum in two numbers: a large one, and a small one that takes up what the large one loses to rounding.
#pragma once

#include "device.cuh"

namespace ladder::LADDER_DEVICE {

/// sum += term, rounded to nearest. Returns what is lost by that, sum + term - (rounded sum), itself within 2^-24 of
/// the term, and exact where the term is not the larger one (Dekker, "A floating-point technique for extending the
/// available precision", 1971).
__device__ __forceinline__ float add_with_loss(float& sum, float term) {
  const float before = sum;
  sum = __fadd_rn(before, term);
  return __fadd_rn(term, -__fadd_rn(sum, -before));
}

}  // namespace ladder::LADDER_DEVICE
