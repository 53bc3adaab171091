// SPDX-License-Identifier: MIT
// Our own declarations of the ABI of cuBLAS and cuBLASLt against NVIDIA's headers. Nothing to run: it compiles or not.
#include "cublas_abi.hpp"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <type_traits>

#include "cublas_lt_abi.hpp"

namespace own = ladder::cublas;
namespace own_lt = ladder::cublas_lt;

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
#if CUBLAS_VERSION >= 130100
SAME(FP32_EMULATED_BF16X9_MATH, CUBLAS_FP32_EMULATED_BF16X9_MATH);
SAME(FP64_EMULATED_FIXEDPOINT_MATH, CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH);
SAME(COMPUTE_32F_EMULATED_16BFX9, CUBLAS_COMPUTE_32F_EMULATED_16BFX9);
SAME(GEMM_AUTOTUNE, CUBLAS_GEMM_AUTOTUNE);
#endif
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

#define SAME(ours, theirs) static_assert(static_cast<int>(own_lt::ours) == static_cast<int>(theirs), #theirs)
SAME(MATMUL_COMPUTE_TYPE, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE);
SAME(MATMUL_SCALE_TYPE, CUBLASLT_MATMUL_DESC_SCALE_TYPE);
SAME(MATMUL_POINTER_MODE, CUBLASLT_MATMUL_DESC_POINTER_MODE);
SAME(MATMUL_TRANSA, CUBLASLT_MATMUL_DESC_TRANSA);
SAME(MATMUL_TRANSB, CUBLASLT_MATMUL_DESC_TRANSB);
SAME(MATMUL_EPILOGUE, CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(MATMUL_BIAS_POINTER, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(MATMUL_BIAS_BATCH_STRIDE, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE);
SAME(MATMUL_EPILOGUE_AUX_POINTER, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER);
SAME(MATMUL_EPILOGUE_AUX_LD, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD);
SAME(MATMUL_EPILOGUE_AUX_BATCH_STRIDE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE);
SAME(MATMUL_ALPHA_VECTOR_BATCH_STRIDE, CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE);
SAME(MATMUL_EPILOGUE_AUX_DATA_TYPE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE);
SAME(MATMUL_EPILOGUE_AUX_SCALE_POINTER, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER);
SAME(MATMUL_EPILOGUE_AUX_AMAX_POINTER, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_AMAX_POINTER);
SAME(MATMUL_FAST_ACCUM, CUBLASLT_MATMUL_DESC_FAST_ACCUM);
SAME(MATMUL_BIAS_DATA_TYPE, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE);
#if CUBLAS_VER_MAJOR >= 13
SAME(MATMUL_EPILOGUE_AUX_SCALE_MODE, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_MODE);
#endif
SAME(LAYOUT_TYPE, CUBLASLT_MATRIX_LAYOUT_TYPE);
SAME(LAYOUT_ORDER, CUBLASLT_MATRIX_LAYOUT_ORDER);
SAME(LAYOUT_ROWS, CUBLASLT_MATRIX_LAYOUT_ROWS);
SAME(LAYOUT_COLS, CUBLASLT_MATRIX_LAYOUT_COLS);
SAME(LAYOUT_LD, CUBLASLT_MATRIX_LAYOUT_LD);
SAME(LAYOUT_BATCH_COUNT, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(LAYOUT_STRIDED_BATCH_OFFSET, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(ORDER_COL, CUBLASLT_ORDER_COL);
SAME(ORDER_ROW, CUBLASLT_ORDER_ROW);
SAME(EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_DEFAULT);
SAME(EPILOGUE_RELU, CUBLASLT_EPILOGUE_RELU);
SAME(EPILOGUE_BIAS, CUBLASLT_EPILOGUE_BIAS);
SAME(EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS);
SAME(EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU);
SAME(EPILOGUE_GELU_BIAS, CUBLASLT_EPILOGUE_GELU_BIAS);
// cuBLASLt's pointer modes begin with those of cuBLAS.
static_assert(static_cast<int>(own::POINTER_MODE_HOST) == static_cast<int>(CUBLASLT_POINTER_MODE_HOST));
static_assert(static_cast<int>(own::POINTER_MODE_DEVICE) == static_cast<int>(CUBLASLT_POINTER_MODE_DEVICE));
#undef SAME

static_assert(std::is_same_v<own_lt::Handle, cublasLtHandle_t>);
static_assert(sizeof(own_lt::Order) == sizeof(cublasLtOrder_t));
static_assert(sizeof(own_lt::Epilogue) == sizeof(cublasLtEpilogue_t));

/// Arguments and result of the same sizes in the same order, pointers for pointers.
template <class Ours, class Theirs>
inline constexpr bool is_same_call = false;
template <class OurResult, class... Ours, class TheirResult, class... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) inline constexpr bool is_same_call<OurResult(Ours...), TheirResult(Theirs...)> =
    sizeof(OurResult) == sizeof(TheirResult) &&
    ((sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...);

static_assert(is_same_call<own_lt::Matmul, decltype(cublasLtMatmul)>);
static_assert(is_same_call<own_lt::MatmulDescCreate, decltype(cublasLtMatmulDescCreate)>);
static_assert(is_same_call<own_lt::MatmulDescDestroy, decltype(cublasLtMatmulDescDestroy)>);
static_assert(is_same_call<own_lt::MatmulDescGetAttribute, decltype(cublasLtMatmulDescGetAttribute)>);
static_assert(is_same_call<own_lt::MatrixLayoutCreate, decltype(cublasLtMatrixLayoutCreate)>);
static_assert(is_same_call<own_lt::MatrixLayoutDestroy, decltype(cublasLtMatrixLayoutDestroy)>);
static_assert(is_same_call<own_lt::MatrixLayoutGetAttribute, decltype(cublasLtMatrixLayoutGetAttribute)>);
static_assert(!is_same_call<own_lt::MatmulDescDestroy, decltype(cublasLtMatmulDescCreate)>);

int main() { return 0; }
