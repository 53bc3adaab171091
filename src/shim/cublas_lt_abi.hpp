// SPDX-License-Identifier: MIT
// The part of the cuBLASLt ABI that we take part in, declared here so that building needs no cuBLAS.
// A test compares it with NVIDIA's header where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cublas_abi.hpp"

struct cublasLtContext;

namespace ladder::cublas_lt {

// What the descriptors hold is asked of the library that made them.
struct MatmulDescription;
struct MatrixLayoutDescription;
struct Algorithm;

using Handle = ::cublasLtContext*;
using MatmulDesc = MatmulDescription*;
using MatrixLayout = MatrixLayoutDescription*;

// Every enumeration has a fixed underlying type: a program may hand us any int.
enum MatmulAttribute : int {
  MATMUL_COMPUTE_TYPE = 0,
  MATMUL_SCALE_TYPE = 1,
  MATMUL_POINTER_MODE = 2,
  MATMUL_TRANSA = 3,
  MATMUL_TRANSB = 4,
  MATMUL_EPILOGUE = 7,
  MATMUL_BIAS_POINTER = 8,
  MATMUL_BIAS_BATCH_STRIDE = 10,
  MATMUL_EPILOGUE_AUX_POINTER = 11,
  MATMUL_EPILOGUE_AUX_LD = 12,
  MATMUL_EPILOGUE_AUX_BATCH_STRIDE = 13,
  MATMUL_ALPHA_VECTOR_BATCH_STRIDE = 14,
  MATMUL_EPILOGUE_AUX_DATA_TYPE = 22,
  MATMUL_EPILOGUE_AUX_SCALE_POINTER = 23,
  MATMUL_EPILOGUE_AUX_AMAX_POINTER = 24,
  MATMUL_FAST_ACCUM = 25,
  MATMUL_BIAS_DATA_TYPE = 26,
  MATMUL_EPILOGUE_AUX_SCALE_MODE = 35,
};
enum LayoutAttribute : int {
  LAYOUT_TYPE = 0,
  LAYOUT_ORDER = 1,
  LAYOUT_ROWS = 2,
  LAYOUT_COLS = 3,
  LAYOUT_LD = 4,
  LAYOUT_BATCH_COUNT = 5,
  LAYOUT_STRIDED_BATCH_OFFSET = 6,
};
enum Order : std::int32_t { ORDER_COL = 0, ORDER_ROW = 1 };
enum Epilogue : std::uint32_t {
  EPILOGUE_DEFAULT = 1,
  EPILOGUE_RELU = 2,
  EPILOGUE_BIAS = 4,
  EPILOGUE_RELU_BIAS = 6,
  EPILOGUE_GELU = 32,
  EPILOGUE_GELU_BIAS = 36,
};

// The functions, as types: what is exported and what is handed on to is declared with them.
using Matmul = cublas::Status(Handle, MatmulDesc, const void* alpha, const void* a, MatrixLayout a_layout,
                              const void* b, MatrixLayout b_layout, const void* beta, const void* c,
                              MatrixLayout c_layout, void* d, MatrixLayout d_layout, const Algorithm*, void* workspace,
                              std::size_t workspace_bytes, cublas::CudaStream);
using MatmulDescCreate = cublas::Status(MatmulDesc*, cublas::Compute, cublas::DataType scale_type);
using MatmulDescDestroy = cublas::Status(MatmulDesc);
using MatmulDescGetAttribute = cublas::Status(MatmulDesc, MatmulAttribute, void* value, std::size_t bytes,
                                              std::size_t* written);
using MatrixLayoutCreate = cublas::Status(MatrixLayout*, cublas::DataType, std::uint64_t rows, std::uint64_t cols,
                                          std::int64_t ld);
using MatrixLayoutDestroy = cublas::Status(MatrixLayout);
using MatrixLayoutGetAttribute = cublas::Status(MatrixLayout, LayoutAttribute, void* value, std::size_t bytes,
                                                std::size_t* written);

}  // namespace ladder::cublas_lt
