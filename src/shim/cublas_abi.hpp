// SPDX-License-Identifier: MIT
// The part of the cuBLAS ABI that we take part in, declared here so that building needs no cuBLAS.
// A test compares it with NVIDIA's header where there is one.
#pragma once

struct cublasContext;
struct CUstream_st;

namespace ladder::cublas {

using Handle = ::cublasContext*;
using CudaStream = ::CUstream_st*;

/// X-macro of the statuses: name without its prefix, value, and the clause that describes it.
#define LADDER_CUBLAS_STATUSES(X)                                     \
  X(SUCCESS, 0, "the operation completed successfully")               \
  X(NOT_INITIALIZED, 1, "the library was not initialized")            \
  X(ALLOC_FAILED, 3, "the resource allocation failed")                \
  X(INVALID_VALUE, 7, "an invalid value was used as an argument")     \
  X(ARCH_MISMATCH, 8, "the device lacks a feature that is needed")    \
  X(MAPPING_ERROR, 11, "an access to GPU memory space failed")        \
  X(EXECUTION_FAILED, 13, "the function failed to launch on the GPU") \
  X(INTERNAL_ERROR, 14, "an internal operation failed")               \
  X(NOT_SUPPORTED, 15, "the functionality is not supported")          \
  X(LICENSE_ERROR, 16, "the functionality needs a license")

// Every enumeration has a fixed underlying type: a program may hand us any int.
enum Status : int {
#define LADDER_STATUS(name, value, text) STATUS_##name = value,
  LADDER_CUBLAS_STATUSES(LADDER_STATUS)
#undef LADDER_STATUS
};

enum Operation : int { OP_N = 0, OP_T = 1, OP_C = 2 };
enum PointerMode : int { POINTER_MODE_HOST = 0, POINTER_MODE_DEVICE = 1 };
enum AtomicsMode : int { ATOMICS_NOT_ALLOWED = 0, ATOMICS_ALLOWED = 1 };
enum Math : int {
  DEFAULT_MATH = 0,
  TENSOR_OP_MATH = 1,
  PEDANTIC_MATH = 2,
  TF32_TENSOR_OP_MATH = 3,
  FP32_EMULATED_BF16X9_MATH = 4,
  FP64_EMULATED_FIXEDPOINT_MATH = 8,
  MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum DataType : int { R_32F = 0 };  // the others pass through
enum Compute : int {
  COMPUTE_32F = 68,
  COMPUTE_32F_PEDANTIC = 69,
  COMPUTE_32F_FAST_16F = 74,
  COMPUTE_32F_FAST_16BF = 75,
  COMPUTE_32F_FAST_TF32 = 77,
  COMPUTE_32F_EMULATED_16BFX9 = 78,
};
enum Algorithm : int {
  GEMM_DEFAULT = -1,
  GEMM_ALGO0 = 0,
  GEMM_ALGO23 = 23,
  GEMM_DEFAULT_TENSOR_OP = 99,
  GEMM_ALGO0_TENSOR_OP = 100,
  GEMM_ALGO15_TENSOR_OP = 115,
  GEMM_AUTOTUNE = 999,
};
enum Property : int { PROPERTY_MAJOR = 0, PROPERTY_MINOR = 1, PROPERTY_PATCH = 2 };

}  // namespace ladder::cublas
