// SPDX-License-Identifier: MIT
#include "cublas_product.hpp"

#include "last_error.hpp"

namespace ladder::shim {

namespace {

bool is_legal(cublas::Operation op) { return op == cublas::OP_N || op == cublas::OP_T || op == cublas::OP_C; }

Op to_op(cublas::Operation op) { return op == cublas::OP_N ? Op::none : Op::transpose; }

Scalar to_scalar(const float* pointer, cublas::PointerMode mode) {
  if (mode == cublas::POINTER_MODE_DEVICE) return {pointer, 0.0f};
  return {nullptr, pointer ? *pointer : 0.0f};
}

/// How cuBLAS (13.1) names a routine when it complains, and where it counts what other lists than SGEMM's have
/// elsewhere.
struct Routine {
  const char* name;
  int lda = fortran_position(GemmArgument::lda);
  int ldb = fortran_position(GemmArgument::ldb);
  int ldc = fortran_position(GemmArgument::ldc);
  int batch = 0;  ///< 0: it complains about no number of products
};

Routine routine_of(Door door) {
  switch (door) {
    case Door::cublasSgemmStridedBatched:
    case Door::cublasSgemmStridedBatched_64:
      return {"SgemmStridedBatched", 8, 10, 13, 14};  // without its strides
    case Door::cublasSgemmBatched:
    case Door::cublasSgemmBatched_64:
      return {"SgemmBatched", 8, 10, 13, 14};
    case Door::cublasSgemmEx:
    case Door::cublasSgemmEx_64:
      return {"SGEMM_EX "};  // without its types
    case Door::cublasGemmEx:
    case Door::cublasGemmEx_64:
    case Door::cublasGemmBatchedEx:
    case Door::cublasGemmBatchedEx_64:
      return {gemm_ex_routine, 9, 12, 16};
    case Door::cublasGemmStridedBatchedEx:
    case Door::cublasGemmStridedBatchedEx_64:
      return {gemm_ex_routine, 9, 13, 18};
    default:
      return {sgemm_routine};
  }
}

int position_in(const Routine& routine, GemmArgument argument) {
  switch (argument) {
    case GemmArgument::lda:
      return routine.lda;
    case GemmArgument::ldb:
      return routine.ldb;
    case GemmArgument::ldc:
      return routine.ldc;
    default:
      return fortran_position(argument);
  }
}

/// 0, or where the routine counts the first illegal argument that it complains about.
int illegal_position(const Routine& routine, const CublasRequest& request, const GemmProblem& problem) {
  if (!is_legal(request.op_a)) return op_a_position;
  if (!is_legal(request.op_b)) return op_b_position;
  const GemmArgument argument = first_illegal_argument(problem);
  if (argument != GemmArgument::none) return position_in(routine, argument);
  return problem.batch < 0 ? routine.batch : 0;
}

/// True where an address is null that this problem would follow, be it of a matrix or of an array of them.
bool lacks_matrix(const GemmProblem& p) {
  if (is_noop(p)) return false;
  const bool arrays = p.c_array != nullptr;
  if (!arrays && p.c == nullptr) return true;
  if (only_scales_c(p)) return false;
  return arrays ? p.a_array == nullptr || p.b_array == nullptr : p.a == nullptr || p.b == nullptr;
}

}  // namespace

GemmProblem problem_of(const CublasRequest& r, cublas::PointerMode mode) {
  return {{to_op(r.op_a), to_op(r.op_b), r.m, r.n, r.k, to_scalar(r.alpha, mode), r.a, r.lda, r.b, r.ldb,
           to_scalar(r.beta, mode), r.c, r.ldc},
          r.layout,
          {}};
}

cublas::Status check_request(const CublasRequest& request, const GemmProblem& problem) {
  const Routine routine = routine_of(request.door);
  if (const int position = illegal_position(routine, request, problem)) {
    report_on_stderr(routine.name, position);
    return cublas::STATUS_INVALID_VALUE;
  }
  if (request.alpha == nullptr || request.beta == nullptr || lacks_matrix(problem)) return cublas::STATUS_INVALID_VALUE;
  // A number of products that cuBLAS does not complain about, but cannot launch.
  if (problem.batch < 0 && problem.m != 0 && problem.n != 0) {
    set_last_error("the number of products is negative");
    return cublas::STATUS_EXECUTION_FAILED;
  }
  return cublas::STATUS_SUCCESS;
}

}  // namespace ladder::shim
