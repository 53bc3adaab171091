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

/// How cuBLAS names a routine when it complains, and whether it counts the types of the matrices as arguments. The
/// strides of a batch it never counts.
struct Routine {
  const char* name;
  bool typed;
};

Routine routine_of(Door door) {
  switch (door) {
    case Door::cublasSgemmStridedBatched:
    case Door::cublasSgemmStridedBatched_64:
      return {"SgemmStridedBatched", false};
    case Door::cublasSgemmBatched:
    case Door::cublasSgemmBatched_64:
      return {"SgemmBatched", false};
    case Door::cublasSgemmEx:
    case Door::cublasSgemmEx_64:
      return {"SGEMM_EX", true};
    case Door::cublasGemmEx:
    case Door::cublasGemmEx_64:
      return {"GEMM_EX", true};
    case Door::cublasGemmStridedBatchedEx:
    case Door::cublasGemmStridedBatchedEx_64:
      return {"GEMM_STRIDED_BATCHED_EX", true};
    case Door::cublasGemmBatchedEx:
    case Door::cublasGemmBatchedEx_64:
      return {"GEMM_BATCHED_EX", true};
    default:
      return {sgemm_routine, false};
  }
}

/// Where a routine that counts types has an argument that SGEMM has at `position`: each type comes before a leading
/// dimension.
int typed_position(int position) {
  constexpr int before_lda = 7, before_ldb = 9, before_ldc = 12;
  return position + (position > before_lda) + (position > before_ldb) + (position > before_ldc);
}

/// 0, or the position of the first illegal argument in SGEMM's list, with the batch at its end.
int illegal_position(const CublasRequest& request, const GemmProblem& problem) {
  constexpr int batch_position = 14;
  if (!is_legal(request.op_a)) return op_a_position;
  if (!is_legal(request.op_b)) return op_b_position;
  const int position = fortran_position(first_illegal_argument(problem));
  return position == 0 && problem.batch < 0 ? batch_position : position;
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
  if (const int position = illegal_position(request, problem)) {
    const Routine routine = routine_of(request.door);
    report_on_stderr(routine.name, routine.typed ? typed_position(position) : position);
    return cublas::STATUS_INVALID_VALUE;
  }
  const bool illegal = request.alpha == nullptr || request.beta == nullptr || lacks_matrix(problem);
  return illegal ? cublas::STATUS_INVALID_VALUE : cublas::STATUS_SUCCESS;
}

}  // namespace ladder::shim
