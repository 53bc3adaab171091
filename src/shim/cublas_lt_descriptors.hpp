// SPDX-License-Identifier: MIT
// What the descriptors of cuBLASLt say, as far as a rung can follow them. They are read through the public getters of
// the real library: what lies where in a descriptor is its own business, and differs from one version to the next.
#pragma once

#include <cstdint>

#include "cublas_lt_abi.hpp"

namespace ladder::shim {

/// What is computed, all of it in FP32.
struct LtOperation {
  cublas::Compute compute;
  cublas::PointerMode pointer_mode;
  cublas::Operation op_a, op_b;
  cublas_lt::Epilogue epilogue;
  const float* bias = nullptr;   ///< null where the epilogue has none
  std::int64_t bias_stride = 0;  ///< elements from one product's bias to the next one's
};

/// A matrix of FP32 numbers, or one for each product of a batch.
struct LtLayout {
  cublas_lt::Order order;
  std::int64_t rows, cols, ld;
  std::int32_t batch;
  std::int64_t stride;  ///< elements from one product's matrix to the next one's
};

/// False where the descriptor asks for anything that the structure cannot say, be it something that this library has
/// never heard of, and where there is no cuBLASLt. `caller` is as for next_symbol(). Any thread.
bool read_operation(cublas_lt::MatmulDesc, const void* caller, LtOperation&);
bool read_layout(cublas_lt::MatrixLayout, const void* caller, LtLayout&);

}  // namespace ladder::shim
