// SPDX-License-Identifier: MIT
// Our own declarations of the cuBLAS ABI against NVIDIA's header. Nothing to run: it compiles or not.
#include "cublas_abi.hpp"

#include <cublas_v2.h>

#include <type_traits>

namespace own = ladder::cublas;

#define SAME_STATUS(name, value, text) \
  static_assert(static_cast<int>(own::STATUS_##name) == static_cast<int>(CUBLAS_STATUS_##name), #name);
LADDER_CUBLAS_STATUSES(SAME_STATUS)
#undef SAME_STATUS

#define SAME(ours, theirs) static_assert(static_cast<int>(own::ours) == static_cast<int>(theirs), #theirs)
SAME(OP_N, CUBLAS_OP_N);
SAME(OP_T, CUBLAS_OP_T);
SAME(OP_C, CUBLAS_OP_C);
SAME(POINTER_MODE_HOST, CUBLAS_POINTER_MODE_HOST);
SAME(POINTER_MODE_DEVICE, CUBLAS_POINTER_MODE_DEVICE);
SAME(ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_NOT_ALLOWED);
SAME(ATOMICS_ALLOWED, CUBLAS_ATOMICS_ALLOWED);
SAME(DEFAULT_MATH, CUBLAS_DEFAULT_MATH);
SAME(TENSOR_OP_MATH, CUBLAS_TENSOR_OP_MATH);
SAME(PEDANTIC_MATH, CUBLAS_PEDANTIC_MATH);
SAME(TF32_TENSOR_OP_MATH, CUBLAS_TF32_TENSOR_OP_MATH);
SAME(MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
SAME(PROPERTY_MAJOR, MAJOR_VERSION);
SAME(PROPERTY_MINOR, MINOR_VERSION);
SAME(PROPERTY_PATCH, PATCH_LEVEL);
SAME(R_32F, CUDA_R_32F);
SAME(COMPUTE_32F, CUBLAS_COMPUTE_32F);
SAME(COMPUTE_32F_PEDANTIC, CUBLAS_COMPUTE_32F_PEDANTIC);
SAME(COMPUTE_32F_FAST_16F, CUBLAS_COMPUTE_32F_FAST_16F);
SAME(COMPUTE_32F_FAST_16BF, CUBLAS_COMPUTE_32F_FAST_16BF);
SAME(COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(GEMM_DEFAULT, CUBLAS_GEMM_DEFAULT);
SAME(GEMM_ALGO0, CUBLAS_GEMM_ALGO0);
SAME(GEMM_ALGO23, CUBLAS_GEMM_ALGO23);
SAME(GEMM_DEFAULT_TENSOR_OP, CUBLAS_GEMM_DEFAULT_TENSOR_OP);
SAME(GEMM_ALGO0_TENSOR_OP, CUBLAS_GEMM_ALGO0_TENSOR_OP);
SAME(GEMM_ALGO15_TENSOR_OP, CUBLAS_GEMM_ALGO15_TENSOR_OP);
#undef SAME

static_assert(std::is_same_v<own::Handle, cublasHandle_t>);
static_assert(std::is_same_v<own::CudaStream, cudaStream_t>);
static_assert(sizeof(own::Status) == sizeof(cublasStatus_t));
static_assert(sizeof(own::Operation) == sizeof(cublasOperation_t));
static_assert(sizeof(own::PointerMode) == sizeof(cublasPointerMode_t));
static_assert(sizeof(own::AtomicsMode) == sizeof(cublasAtomicsMode_t));
static_assert(sizeof(own::Math) == sizeof(cublasMath_t));
static_assert(sizeof(own::DataType) == sizeof(cudaDataType));
static_assert(sizeof(own::Compute) == sizeof(cublasComputeType_t));
static_assert(sizeof(own::Algorithm) == sizeof(cublasGemmAlgo_t));
static_assert(sizeof(own::Property) == sizeof(libraryPropertyType));

int main() { return 0; }
