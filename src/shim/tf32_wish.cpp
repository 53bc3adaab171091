// SPDX-License-Identifier: MIT
#include "tf32_wish.hpp"

namespace ladder::shim {

Tf32Wish tf32_wish(cublas::Math mode) {
  switch (mode & ~cublas::MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) {
    case cublas::TENSOR_OP_MATH:  // the old name of COMPUTE_32F_FAST_16F
    case cublas::TF32_TENSOR_OP_MATH:
      return Tf32Wish::allowed;
    case cublas::PEDANTIC_MATH:
      return Tf32Wish::pedantic;
    case cublas::FP32_EMULATED_BF16X9_MATH:  // cuBLAS's sums with the accuracy of FP32
      return Tf32Wish::forbidden;
    default:
      return Tf32Wish::unsaid;
  }
}

Tf32Wish tf32_wish(cublas::Compute type) {
  switch (type) {
    case cublas::COMPUTE_32F_FAST_16F:
    case cublas::COMPUTE_32F_FAST_16BF:
    case cublas::COMPUTE_32F_FAST_TF32:
      return Tf32Wish::allowed;
    case cublas::COMPUTE_32F_PEDANTIC:
      return Tf32Wish::pedantic;
    case cublas::COMPUTE_32F_EMULATED_16BFX9:
      return Tf32Wish::forbidden;
    case cublas::COMPUTE_32F:
      break;
  }
  return Tf32Wish::unsaid;
}

}  // namespace ladder::shim
