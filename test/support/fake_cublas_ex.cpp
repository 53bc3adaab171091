// SPDX-License-Identifier: MIT
// The fake cuBLAS's doors for batches and for typed matrices: each keeps its arguments and answers as it was told.
#include "fake_cublas.hpp"

namespace cublas = ladder::cublas;
using cublas::Algorithm;
using cublas::Compute;
using cublas::DataType;
using cublas::Handle;
using cublas::Operation;
using cublas::Status;

namespace {

RecordedCall last_call;

template <class... Arguments>
Status record(const char* door, const Arguments&... arguments) {
  last_call = {door, bits_of_each(arguments...), last_call.calls + 1};
  return fake_cublas_state()->answer;
}

}  // namespace

LADDER_EXPORT const RecordedCall* fake_cublas_last_call() { return &last_call; }

#define FAKE_DOORS(suffix, Int)                                                                                        \
  LADDER_EXPORT Status cublasSgemmStridedBatched##suffix(                                                              \
      Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const float* alpha, const float* a, Int lda, \
      long long stride_a, const float* b, Int ldb, long long stride_b, const float* beta, float* c, Int ldc,           \
      long long stride_c, Int batch) {                                                                                 \
    return record("cublasSgemmStridedBatched" #suffix, handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb,   \
                  stride_b, beta, c, ldc, stride_c, batch);                                                            \
  }                                                                                                                    \
  LADDER_EXPORT Status cublasSgemmEx##suffix(Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k,       \
                                             const float* alpha, const void* a, DataType a_type, Int lda,              \
                                             const void* b, DataType b_type, Int ldb, const float* beta, void* c,      \
                                             DataType c_type, Int ldc) {                                               \
    return record("cublasSgemmEx" #suffix, handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta,   \
                  c, c_type, ldc);                                                                                     \
  }                                                                                                                    \
  LADDER_EXPORT Status cublasGemmEx##suffix(Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k,        \
                                            const void* alpha, const void* a, DataType a_type, Int lda, const void* b, \
                                            DataType b_type, Int ldb, const void* beta, void* c, DataType c_type,      \
                                            Int ldc, Compute compute, Algorithm algorithm) {                           \
    return record("cublasGemmEx" #suffix, handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c, \
                  c_type, ldc, compute, algorithm);                                                                    \
  }                                                                                                                    \
  LADDER_EXPORT Status cublasGemmStridedBatchedEx##suffix(                                                             \
      Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const void* alpha, const void* a,            \
      DataType a_type, Int lda, long long stride_a, const void* b, DataType b_type, Int ldb, long long stride_b,       \
      const void* beta, void* c, DataType c_type, Int ldc, long long stride_c, Int batch, Compute compute,             \
      Algorithm algorithm) {                                                                                           \
    return record("cublasGemmStridedBatchedEx" #suffix, handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, stride_a,  \
                  b, b_type, ldb, stride_b, beta, c, c_type, ldc, stride_c, batch, compute, algorithm);                \
  }
FAKE_DOORS(, int)
FAKE_DOORS(_64, std::int64_t)
#undef FAKE_DOORS
