// SPDX-License-Identifier: MIT
// Which of cuBLAS's compute types are FP32's: a rung's plain FP32 is at least as accurate as each of them asks for.
#pragma once

#include "cublas_abi.hpp"

namespace ladder::shim {

constexpr bool sums_in_fp32(cublas::Compute type) {
  switch (type) {
    case cublas::COMPUTE_32F:
    case cublas::COMPUTE_32F_PEDANTIC:
    case cublas::COMPUTE_32F_FAST_16F:
    case cublas::COMPUTE_32F_FAST_16BF:
    case cublas::COMPUTE_32F_FAST_TF32:
    case cublas::COMPUTE_32F_EMULATED_16BFX9:
      return true;
  }
  return false;
}

}  // namespace ladder::shim
