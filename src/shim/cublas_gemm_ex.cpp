// SPDX-License-Identifier: MIT
// The doors that take the types of their matrices as arguments. Where all of them are FP32 they are SGEMM; everything
// else goes to the real cuBLAS as it came.
#include "cublas_doors.hpp"
#include "cublas_product.hpp"
#include "fp32_compute.hpp"

namespace cublas = ladder::cublas;
namespace shim = ladder::shim;
using cublas::Algorithm;
using cublas::Compute;
using cublas::DataType;
using cublas::Handle;
using cublas::Operation;
using cublas::Status;
using shim::Door;

namespace {

bool all_fp32(DataType a, DataType b, DataType c) {
  return a == cublas::R_32F && b == cublas::R_32F && c == cublas::R_32F;
}

/// cuBLAS's own algorithms make no difference to what a rung computes.
bool is_known(Algorithm algorithm) {
  return algorithm == cublas::GEMM_DEFAULT || algorithm == cublas::GEMM_DEFAULT_TENSOR_OP ||
         (algorithm >= cublas::GEMM_ALGO0 && algorithm <= cublas::GEMM_ALGO23) ||
         (algorithm >= cublas::GEMM_ALGO0_TENSOR_OP && algorithm <= cublas::GEMM_ALGO15_TENSOR_OP) ||
         algorithm == cublas::GEMM_AUTOTUNE;
}

bool is_served(Compute compute, Algorithm algorithm) { return is_known(algorithm) && shim::sums_in_fp32(compute); }

/// For the real cuBLAS. Where there is none, an unknown algorithm is answered as it would be; `algorithm_position` is
/// where it counts that argument.
template <class CallReal>
Status pass_on(Door door, Handle handle, const void* caller, Algorithm algorithm, int algorithm_position,
               const CallReal& call_real) {
  if (is_known(algorithm) || shim::own_handle(handle) == nullptr) return shim::hand_on(door, handle, caller, call_real);
  shim::report_on_stderr(shim::gemm_ex_routine, algorithm_position);
  return cublas::STATUS_INVALID_VALUE;
}

const float* floats(const void* address) { return static_cast<const float*>(address); }
float* floats(void* address) { return static_cast<float*>(address); }
const float* const* floats(const void* const* addresses) { return reinterpret_cast<const float* const*>(addresses); }
float* const* floats(void* const* addresses) { return reinterpret_cast<float* const*>(addresses); }

template <class Int, class Real>
Status sgemm_ex(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a, Operation op_b, Int m,
                Int n, Int k, const float* alpha, const void* a, DataType a_type, Int lda, const void* b,
                DataType b_type, Int ldb, const float* beta, void* c, DataType c_type, Int ldc) {
  const auto call_real = [&] {
    const auto real = find_real(caller);
    return real ? real(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc)
                : cublas::STATUS_NOT_SUPPORTED;
  };
  if (!all_fp32(a_type, b_type, c_type)) return shim::hand_on(door, handle, caller, call_real);
  return shim::serve_cublas_request(
      {door, handle, op_a, op_b, m, n, k, alpha, floats(a), lda, floats(b), ldb, beta, floats(c), ldc}, caller,
      call_real);
}

template <class Int, class Real>
Status gemm_ex(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a, Operation op_b, Int m,
               Int n, Int k, const void* alpha, const void* a, DataType a_type, Int lda, const void* b, DataType b_type,
               Int ldb, const void* beta, void* c, DataType c_type, Int ldc, Compute compute, Algorithm algorithm) {
  const auto call_real = [&] {
    const auto real = find_real(caller);
    return real ? real(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc,
                       compute, algorithm)
                : cublas::STATUS_NOT_SUPPORTED;
  };
  constexpr int algorithm_position = 18;
  if (!all_fp32(a_type, b_type, c_type) || !is_served(compute, algorithm))
    return pass_on(door, handle, caller, algorithm, algorithm_position, call_real);
  return shim::serve_cublas_request({door,
                                     handle,
                                     op_a,
                                     op_b,
                                     m,
                                     n,
                                     k,
                                     floats(alpha),
                                     floats(a),
                                     lda,
                                     floats(b),
                                     ldb,
                                     floats(beta),
                                     floats(c),
                                     ldc,
                                     {},
                                     shim::tf32_wish(compute)},
                                    caller, call_real);
}

template <class Int, class Real>
Status gemm_strided_batched_ex(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a,
                               Operation op_b, Int m, Int n, Int k, const void* alpha, const void* a, DataType a_type,
                               Int lda, long long stride_a, const void* b, DataType b_type, Int ldb, long long stride_b,
                               const void* beta, void* c, DataType c_type, Int ldc, long long stride_c, Int batch,
                               Compute compute, Algorithm algorithm) {
  const auto call_real = [&] {
    const auto real = find_real(caller);
    return real ? real(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c,
                       c_type, ldc, stride_c, batch, compute, algorithm)
                : cublas::STATUS_NOT_SUPPORTED;
  };
  constexpr int algorithm_position = 22;
  if (!all_fp32(a_type, b_type, c_type) || !is_served(compute, algorithm))
    return pass_on(door, handle, caller, algorithm, algorithm_position, call_real);
  return shim::serve_cublas_request({door,
                                     handle,
                                     op_a,
                                     op_b,
                                     m,
                                     n,
                                     k,
                                     floats(alpha),
                                     floats(a),
                                     lda,
                                     floats(b),
                                     ldb,
                                     floats(beta),
                                     floats(c),
                                     ldc,
                                     {batch, stride_a, stride_b, stride_c},
                                     shim::tf32_wish(compute)},
                                    caller, call_real);
}

template <class Int, class Real>
Status gemm_batched_ex(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a, Operation op_b,
                       Int m, Int n, Int k, const void* alpha, const void* const* a, DataType a_type, Int lda,
                       const void* const* b, DataType b_type, Int ldb, const void* beta, void* const* c,
                       DataType c_type, Int ldc, Int batch, Compute compute, Algorithm algorithm) {
  const auto call_real = [&] {
    const auto real = find_real(caller);
    return real ? real(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, batch,
                       compute, algorithm)
                : cublas::STATUS_NOT_SUPPORTED;
  };
  constexpr int algorithm_position = 19;
  if (!all_fp32(a_type, b_type, c_type) || !is_served(compute, algorithm))
    return pass_on(door, handle, caller, algorithm, algorithm_position, call_real);
  return shim::serve_cublas_request({door,
                                     handle,
                                     op_a,
                                     op_b,
                                     m,
                                     n,
                                     k,
                                     floats(alpha),
                                     nullptr,
                                     lda,
                                     nullptr,
                                     ldb,
                                     floats(beta),
                                     nullptr,
                                     ldc,
                                     {batch, 0, 0, 0, floats(a), floats(b), floats(c)},
                                     shim::tf32_wish(compute)},
                                    caller, call_real);
}

}  // namespace

// Each door, for 32-bit and for 64-bit extents.
#define SGEMM_EX(name, Int)                                                                                          \
  LADDER_EXPORT Status name(Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const float* alpha,  \
                            const void* a, DataType a_type, Int lda, const void* b, DataType b_type, Int ldb,        \
                            const float* beta, void* c, DataType c_type, Int ldc) {                                  \
    return sgemm_ex<Int>(Door::name, shim::next::name, LADDER_CALLER, handle, op_a, op_b, m, n, k, alpha, a, a_type, \
                         lda, b, b_type, ldb, beta, c, c_type, ldc);                                                 \
  }
#define GEMM_EX(name, Int)                                                                                          \
  LADDER_EXPORT Status name(Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const void* alpha,  \
                            const void* a, DataType a_type, Int lda, const void* b, DataType b_type, Int ldb,       \
                            const void* beta, void* c, DataType c_type, Int ldc, Compute compute,                   \
                            Algorithm algorithm) {                                                                  \
    return gemm_ex<Int>(Door::name, shim::next::name, LADDER_CALLER, handle, op_a, op_b, m, n, k, alpha, a, a_type, \
                        lda, b, b_type, ldb, beta, c, c_type, ldc, compute, algorithm);                             \
  }
#define GEMM_STRIDED_BATCHED_EX(name, Int)                                                                            \
  LADDER_EXPORT Status name(Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const void* alpha,    \
                            const void* a, DataType a_type, Int lda, long long stride_a, const void* b,               \
                            DataType b_type, Int ldb, long long stride_b, const void* beta, void* c, DataType c_type, \
                            Int ldc, long long stride_c, Int batch, Compute compute, Algorithm algorithm) {           \
    return gemm_strided_batched_ex<Int>(Door::name, shim::next::name, LADDER_CALLER, handle, op_a, op_b, m, n, k,     \
                                        alpha, a, a_type, lda, stride_a, b, b_type, ldb, stride_b, beta, c, c_type,   \
                                        ldc, stride_c, batch, compute, algorithm);                                    \
  }
#define GEMM_BATCHED_EX(name, Int)                                                                                   \
  LADDER_EXPORT Status name(Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const void* alpha,   \
                            const void* const a[], DataType a_type, Int lda, const void* const b[], DataType b_type, \
                            Int ldb, const void* beta, void* const c[], DataType c_type, Int ldc, Int batch,         \
                            Compute compute, Algorithm algorithm) {                                                  \
    return gemm_batched_ex<Int>(Door::name, shim::next::name, LADDER_CALLER, handle, op_a, op_b, m, n, k, alpha, a,  \
                                a_type, lda, b, b_type, ldb, beta, c, c_type, ldc, batch, compute, algorithm);       \
  }
SGEMM_EX(cublasSgemmEx, int)
SGEMM_EX(cublasSgemmEx_64, std::int64_t)
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, std::int64_t)
GEMM_STRIDED_BATCHED_EX(cublasGemmStridedBatchedEx, int)
GEMM_STRIDED_BATCHED_EX(cublasGemmStridedBatchedEx_64, std::int64_t)
GEMM_BATCHED_EX(cublasGemmBatchedEx, int)
GEMM_BATCHED_EX(cublasGemmBatchedEx_64, std::int64_t)
#undef SGEMM_EX
#undef GEMM_EX
#undef GEMM_STRIDED_BATCHED_EX
#undef GEMM_BATCHED_EX
