// SPDX-License-Identifier: MIT
// A cuBLASLt without a GPU: descriptors of its own, and a cublasLtMatmul that keeps its arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "cublas_lt_doors.hpp"

struct FakeLtState {
  std::vector<std::uint64_t> arguments;  ///< of the last call, each as 64 bits
  int calls = 0;
  ladder::cublas::Status answer = ladder::cublas::STATUS_SUCCESS;  ///< of the next calls
  bool calls_itself = false;  ///< the next call goes round once more, by the exported name
  int newest_attribute = 63;  ///< descriptors made from now on have none beyond: those of an older header
};

/// Attributes that no header knows yet, of 4 bytes.
inline constexpr int fake_lt_new_matmul_attribute = 50;
inline constexpr int fake_lt_new_layout_attribute = 20;

LADDER_EXPORT FakeLtState* fake_cublas_lt_state();
LADDER_EXPORT ladder::cublas::Status cublasLtMatmulDescSetAttribute(ladder::cublas_lt::MatmulDesc, int attribute,
                                                                    const void* value, std::size_t bytes);
LADDER_EXPORT ladder::cublas::Status cublasLtMatrixLayoutSetAttribute(ladder::cublas_lt::MatrixLayout, int attribute,
                                                                      const void* value, std::size_t bytes);
