// SPDX-License-Identifier: MIT
// cublasSgemm_v2 and cublasSgemm_v2_64: device pointers, the caller's handle and stream.
#include "config.hpp"
#include "cublas_doors.hpp"
#include "dispatch.hpp"
#include "handle.hpp"
#include "illegal_argument.hpp"
#include "next_library.hpp"
#include "serve_device.hpp"

namespace cublas = ladder::cublas;
namespace shim = ladder::shim;
using cublas::Handle;
using cublas::Operation;
using cublas::Status;
using ladder::GemmProblem;
using ladder::Op;
using ladder::Scalar;
using shim::Door;

namespace {

bool is_legal(Operation op) { return op == cublas::OP_N || op == cublas::OP_T || op == cublas::OP_C; }

Op to_op(Operation op) { return op == cublas::OP_N ? Op::none : Op::transpose; }

Scalar to_scalar(const float* pointer, cublas::PointerMode mode) {
  if (mode == cublas::POINTER_MODE_DEVICE) return {pointer, 0.0f};
  return {nullptr, pointer ? *pointer : 0.0f};
}

/// 0, or the position of the first illegal argument.
int illegal_position(Operation op_a, Operation op_b, const GemmProblem& problem) {
  if (!is_legal(op_a)) return shim::op_a_position;
  if (!is_legal(op_b)) return shim::op_b_position;
  return shim::fortran_position(ladder::first_illegal_argument(problem));
}

/// True where a pointer is null that this problem would follow.
bool lacks_matrix(const GemmProblem& p) {
  if (p.c == nullptr) return true;
  return !ladder::only_scales_c(p) && (p.a == nullptr || p.b == nullptr);
}

template <class Int, class Real>
Status sgemm(Door door, Real* find_real, const void* caller, Handle handle, Operation op_a, Operation op_b, Int m,
             Int n, Int k, const float* alpha, const float* a, Int lda, const float* b, Int ldb, const float* beta,
             float* c, Int ldc) {
  const auto call_real = [&] {
    const auto function = find_real(caller);
    return function ? function(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
                    : cublas::STATUS_NOT_SUPPORTED;
  };
  if (shim::inside_next_library()) return call_real();

  // 1. The handle, whoever made it.
  shim::HandleView view;
  if (const Status status = shim::view_handle(handle, caller, view); status != cublas::STATUS_SUCCESS) return status;

  // 2. The problem, and the ways to serve it.
  const GemmProblem problem{{to_op(op_a), to_op(op_b), m, n, k, to_scalar(alpha, view.pointer_mode), a, lda, b, ldb,
                             to_scalar(beta, view.pointer_mode), c, ldc},
                            {}};
  const shim::Plan plan =
      shim::plan_device_call({shim::wished_rung(), shim::config().device, view.own, view.wants_tf32});

  // 3. Legal? The real cuBLAS answers for itself.
  if (plan.front().target != shim::Target::next) {
    if (const int position = illegal_position(op_a, op_b, problem)) {
      shim::report_on_stderr(position);
      return cublas::STATUS_INVALID_VALUE;
    }
    if (alpha == nullptr || beta == nullptr) return cublas::STATUS_INVALID_VALUE;
    if (ladder::is_noop(problem)) return shim::nothing_to_do(door, problem);
    if (lacks_matrix(problem)) return cublas::STATUS_INVALID_VALUE;
  }

  // 4. Serve it.
  return shim::serve_device_call(door, plan, problem, view.stream, call_real);
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
