// SPDX-License-Identifier: MIT
// A cuBLAS without a GPU: keeps the arguments that it was called with, so that a test can look at them.
#include "fake_cublas.hpp"

namespace cublas = ladder::cublas;
using cublas::Handle;
using cublas::Status;

namespace {

RecordedSgemm recorded;
FakeHandleState state;

}  // namespace

LADDER_EXPORT const RecordedSgemm* fake_cublas_recorded() { return &recorded; }
LADDER_EXPORT FakeHandleState* fake_cublas_state() { return &state; }

LADDER_EXPORT Status cublasCreate_v2(Handle* handle) {
  *handle = reinterpret_cast<Handle>(&state);
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasDestroy_v2(Handle) { return cublas::STATUS_SUCCESS; }
LADDER_EXPORT Status cublasSetStream_v2(Handle, cublas::CudaStream stream) {
  state.stream = stream;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasGetStream_v2(Handle, cublas::CudaStream* stream) {
  *stream = state.stream;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasSetPointerMode_v2(Handle, cublas::PointerMode mode) {
  state.pointer_mode = mode;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasGetPointerMode_v2(Handle, cublas::PointerMode* mode) {
  *mode = state.pointer_mode;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasSetMathMode(Handle, cublas::Math mode) {
  state.math = mode;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasGetMathMode(Handle, cublas::Math* mode) {
  *mode = state.math;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasGetVersion_v2(Handle, int* version) {
  *version = fake_cublas_version;
  return cublas::STATUS_SUCCESS;
}
LADDER_EXPORT Status cublasSgemm_v2(Handle handle, cublas::Operation op_a, cublas::Operation op_b, int m, int n, int k,
                                    const float* alpha, const float* a, int lda, const float* b, int ldb,
                                    const float* beta, float* c, int ldc) {
  recorded = {recorded.calls + 1,   false, handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
              recorded.legacy_calls};
  return state.answer;
}
LADDER_EXPORT Status cublasSgemm_v2_64(Handle handle, cublas::Operation op_a, cublas::Operation op_b, std::int64_t m,
                                       std::int64_t n, std::int64_t k, const float* alpha, const float* a,
                                       std::int64_t lda, const float* b, std::int64_t ldb, const float* beta, float* c,
                                       std::int64_t ldc) {
  recorded = {recorded.calls + 1,   true, handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
              recorded.legacy_calls};
  return state.answer;
}
LADDER_EXPORT void cublasSgemm(char op_a, char op_b, int m, int n, int k, float, const float* a, int lda,
                               const float* b, int ldb, float, float* c, int ldc) {
  recorded = {recorded.calls,           false, nullptr, op_a, op_b, m, n, k, nullptr, a, lda, b, ldb, nullptr, c, ldc,
              recorded.legacy_calls + 1};
}
