// SPDX-License-Identifier: MIT
// The fake cuBLAS's doors for batches and for typed matrices, and its handle and copy functions that have no state to
// change: each keeps its arguments and answers as it was told.
#include "fake_cublas.hpp"

namespace cublas = ladder::cublas;
using cublas::Algorithm;
using cublas::AtomicsMode;
using cublas::Compute;
using cublas::CudaStream;
using cublas::DataType;
using cublas::Handle;
using cublas::Operation;
using cublas::Property;
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
  LADDER_EXPORT Status cublasSgemmBatched##suffix(                                                                     \
      Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const float* alpha, const float* const a[],  \
      Int lda, const float* const b[], Int ldb, const float* beta, float* const c[], Int ldc, Int batch) {             \
    return record("cublasSgemmBatched" #suffix, handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,      \
                  batch);                                                                                              \
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
  }                                                                                                                    \
  LADDER_EXPORT Status cublasGemmBatchedEx##suffix(                                                                    \
      Handle handle, Operation op_a, Operation op_b, Int m, Int n, Int k, const void* alpha, const void* const a[],    \
      DataType a_type, Int lda, const void* const b[], DataType b_type, Int ldb, const void* beta, void* const c[],    \
      DataType c_type, Int ldc, Int batch, Compute compute, Algorithm algorithm) {                                     \
    return record("cublasGemmBatchedEx" #suffix, handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb,   \
                  beta, c, c_type, ldc, batch, compute, algorithm);                                                    \
  }
FAKE_DOORS(, int)
FAKE_DOORS(_64, std::int64_t)
#undef FAKE_DOORS

// -- Handle and copies -----------------------------------------------------------------------------------
LADDER_EXPORT Status cublasSetAtomicsMode(Handle handle, AtomicsMode mode) {
  return record("cublasSetAtomicsMode", handle, mode);
}
LADDER_EXPORT Status cublasGetAtomicsMode(Handle handle, AtomicsMode* mode) {
  return record("cublasGetAtomicsMode", handle, mode);
}
LADDER_EXPORT Status cublasSetWorkspace_v2(Handle handle, void* workspace, std::size_t bytes) {
  return record("cublasSetWorkspace_v2", handle, workspace, bytes);
}
LADDER_EXPORT Status cublasGetProperty(Property property, int* value) {
  return record("cublasGetProperty", property, value);
}
LADDER_EXPORT const char* cublasGetStatusName(Status) { return fake_status_text; }
LADDER_EXPORT const char* cublasGetStatusString(Status) { return fake_status_text; }

#define FAKE_COPIES(name)                                                                                              \
  LADDER_EXPORT Status cublas##name##Matrix(int rows, int cols, int size, const void* from, int from_ld, void* to,     \
                                            int to_ld) {                                                               \
    return record("cublas" #name "Matrix", rows, cols, size, from, from_ld, to, to_ld);                                \
  }                                                                                                                    \
  LADDER_EXPORT Status cublas##name##MatrixAsync(int rows, int cols, int size, const void* from, int from_ld,          \
                                                 void* to, int to_ld, CudaStream stream) {                             \
    return record("cublas" #name "MatrixAsync", rows, cols, size, from, from_ld, to, to_ld, stream);                   \
  }                                                                                                                    \
  LADDER_EXPORT Status cublas##name##Vector(int n, int size, const void* from, int from_step, void* to, int to_step) { \
    return record("cublas" #name "Vector", n, size, from, from_step, to, to_step);                                     \
  }                                                                                                                    \
  LADDER_EXPORT Status cublas##name##VectorAsync(int n, int size, const void* from, int from_step, void* to,           \
                                                 int to_step, CudaStream stream) {                                     \
    return record("cublas" #name "VectorAsync", n, size, from, from_step, to, to_step, stream);                        \
  }
FAKE_COPIES(Set)
FAKE_COPIES(Get)
#undef FAKE_COPIES
