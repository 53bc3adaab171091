// SPDX-License-Identifier: MIT
// cublasSgemm_v2 and its batches, whose matrices lie a stride apart or have their addresses in arrays.
#include "cublas_doors.hpp"
#include "cublas_product.hpp"

namespace cublas = ladder::cublas;
namespace shim = ladder::shim;
using cublas::Handle;
using cublas::Operation;
using cublas::Status;
using shim::Door;

namespace {

template <class Int, class Real>
Status sgemm(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a, Operation op_b, Int m,
             Int n, Int k, const float* alpha, const float* a, Int lda, const float* b, Int ldb, const float* beta,
             float* c, Int ldc) {
  return shim::serve_cublas_request(
      {door, handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc}, caller, [&] {
        const auto real = find_real(caller);
        return real ? real(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
                    : cublas::STATUS_NOT_SUPPORTED;
      });
}

template <class Int, class Real>
Status sgemm_strided_batched(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a,
                             Operation op_b, Int m, Int n, Int k, const float* alpha, const float* a, Int lda,
                             long long stride_a, const float* b, Int ldb, long long stride_b, const float* beta,
                             float* c, Int ldc, long long stride_c, Int batch) {
  return shim::serve_cublas_request(
      {door, handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, {batch, stride_a, stride_b, stride_c}},
      caller, [&] {
        const auto real = find_real(caller);
        return real ? real(handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc,
                           stride_c, batch)
                    : cublas::STATUS_NOT_SUPPORTED;
      });
}

template <class Int, class Real>
Status sgemm_batched(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a, Operation op_b,
                     Int m, Int n, Int k, const float* alpha, const float* const* a, Int lda, const float* const* b,
                     Int ldb, const float* beta, float* const* c, Int ldc, Int batch) {
  const ladder::BatchLayout layout = {batch, 0, 0, 0, a, b, c};
  return shim::serve_cublas_request(
      {door, handle, op_a, op_b, m, n, k, alpha, nullptr, lda, nullptr, ldb, beta, nullptr, ldc, layout}, caller, [&] {
        const auto real = find_real(caller);
        return real ? real(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch)
                    : cublas::STATUS_NOT_SUPPORTED;
      });
}

}  // namespace

LADDER_EXPORT Status cublasSgemm_v2(Handle handle, Operation op_a, Operation op_b, int m, int n, int k,
                                    const float* alpha, const float* a, int lda, const float* b, int ldb,
                                    const float* beta, float* c, int ldc) {
  return sgemm<int>(Door::cublasSgemm_v2, shim::next::cublasSgemm_v2, LADDER_CALLER, handle, op_a, op_b, m, n, k, alpha,
                    a, lda, b, ldb, beta, c, ldc);
}

LADDER_EXPORT Status cublasSgemm_v2_64(Handle handle, Operation op_a, Operation op_b, std::int64_t m, std::int64_t n,
                                       std::int64_t k, const float* alpha, const float* a, std::int64_t lda,
                                       const float* b, std::int64_t ldb, const float* beta, float* c,
                                       std::int64_t ldc) {
  return sgemm<std::int64_t>(Door::cublasSgemm_v2_64, shim::next::cublasSgemm_v2_64, LADDER_CALLER, handle, op_a, op_b,
                             m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

LADDER_EXPORT Status cublasSgemmStridedBatched(Handle handle, Operation op_a, Operation op_b, int m, int n, int k,
                                               const float* alpha, const float* a, int lda, long long stride_a,
                                               const float* b, int ldb, long long stride_b, const float* beta, float* c,
                                               int ldc, long long stride_c, int batch) {
  return sgemm_strided_batched<int>(Door::cublasSgemmStridedBatched, shim::next::cublasSgemmStridedBatched,
                                    LADDER_CALLER, handle, op_a, op_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                                    stride_b, beta, c, ldc, stride_c, batch);
}

LADDER_EXPORT Status cublasSgemmStridedBatched_64(Handle handle, Operation op_a, Operation op_b, std::int64_t m,
                                                  std::int64_t n, std::int64_t k, const float* alpha, const float* a,
                                                  std::int64_t lda, long long stride_a, const float* b,
                                                  std::int64_t ldb, long long stride_b, const float* beta, float* c,
                                                  std::int64_t ldc, long long stride_c, std::int64_t batch) {
  return sgemm_strided_batched<std::int64_t>(
      Door::cublasSgemmStridedBatched_64, shim::next::cublasSgemmStridedBatched_64, LADDER_CALLER, handle, op_a, op_b,
      m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, batch);
}

LADDER_EXPORT Status cublasSgemmBatched(Handle handle, Operation op_a, Operation op_b, int m, int n, int k,
                                        const float* alpha, const float* const a[], int lda, const float* const b[],
                                        int ldb, const float* beta, float* const c[], int ldc, int batch) {
  return sgemm_batched<int>(Door::cublasSgemmBatched, shim::next::cublasSgemmBatched, LADDER_CALLER, handle, op_a, op_b,
                            m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch);
}

LADDER_EXPORT Status cublasSgemmBatched_64(Handle handle, Operation op_a, Operation op_b, std::int64_t m,
                                           std::int64_t n, std::int64_t k, const float* alpha, const float* const a[],
                                           std::int64_t lda, const float* const b[], std::int64_t ldb,
                                           const float* beta, float* const c[], std::int64_t ldc, std::int64_t batch) {
  return sgemm_batched<std::int64_t>(Door::cublasSgemmBatched_64, shim::next::cublasSgemmBatched_64, LADDER_CALLER,
                                     handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batch);
}
