// SPDX-License-Identifier: MIT
#include "cublas_product.hpp"

namespace ladder::shim {

namespace {

bool is_legal(cublas::Operation op) { return op == cublas::OP_N || op == cublas::OP_T || op == cublas::OP_C; }

Op to_op(cublas::Operation op) { return op == cublas::OP_N ? Op::none : Op::transpose; }

Scalar to_scalar(const float* pointer, cublas::PointerMode mode) {
  if (mode == cublas::POINTER_MODE_DEVICE) return {pointer, 0.0f};
  return {nullptr, pointer ? *pointer : 0.0f};
}

/// 0, or the position of the first illegal argument.
int illegal_position(const CublasRequest& request, const GemmProblem& problem) {
  if (!is_legal(request.op_a)) return op_a_position;
  if (!is_legal(request.op_b)) return op_b_position;
  return fortran_position(first_illegal_argument(problem));
}

/// True where a pointer is null that this problem would follow.
bool lacks_matrix(const GemmProblem& p) {
  if (is_noop(p)) return false;
  if (p.c == nullptr) return true;
  return !only_scales_c(p) && (p.a == nullptr || p.b == nullptr);
}

}  // namespace

GemmProblem problem_of(const CublasRequest& r, cublas::PointerMode mode) {
  return {{to_op(r.op_a), to_op(r.op_b), r.m, r.n, r.k, to_scalar(r.alpha, mode), r.a, r.lda, r.b, r.ldb,
           to_scalar(r.beta, mode), r.c, r.ldc},
          r.layout,
          {}};
}

cublas::Status check_request(const CublasRequest& request, const GemmProblem& problem) {
  if (const int position = illegal_position(request, problem)) {
    report_on_stderr(position);
    return cublas::STATUS_INVALID_VALUE;
  }
  const bool illegal =
      request.layout.batch < 0 || request.alpha == nullptr || request.beta == nullptr || lacks_matrix(problem);
  return illegal ? cublas::STATUS_INVALID_VALUE : cublas::STATUS_SUCCESS;
}

}  // namespace ladder::shim
