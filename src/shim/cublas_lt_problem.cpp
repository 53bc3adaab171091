// SPDX-License-Identifier: MIT
#include "cublas_lt_problem.hpp"

#include <utility>

namespace ladder::shim {

namespace {

using namespace cublas_lt;

bool in_row_order(const LtLayout& layout) { return layout.order == ORDER_ROW; }

/// A matrix in row order is, in column order, its transpose.
Op op_in_column_order(cublas::Operation op, const LtLayout& layout) {
  const bool transposed = op != cublas::OP_N;
  return transposed != in_row_order(layout) ? Op::transpose : Op::none;
}

Op flipped(Op op) { return op == Op::none ? Op::transpose : Op::none; }

std::int64_t rows_of(cublas::Operation op, const LtLayout& layout) {
  return op == cublas::OP_N ? layout.rows : layout.cols;
}
std::int64_t columns_of(cublas::Operation op, const LtLayout& layout) {
  return op == cublas::OP_N ? layout.cols : layout.rows;
}

bool fit_together(const LtCall& call) {
  const LtOperation& op = call.operation;
  const LtLayout &a = call.a_layout, &b = call.b_layout, &c = call.c_layout, &d = call.d_layout;
  const bool extents = rows_of(op.op_a, a) == d.rows && columns_of(op.op_b, b) == d.cols &&
                       columns_of(op.op_a, a) == rows_of(op.op_b, b) && c.rows == d.rows && c.cols == d.cols;
  const bool batches = d.batch >= 1 && a.batch == d.batch && b.batch == d.batch && c.batch == d.batch;
  return extents && batches && c.order == d.order;
}

Scalar to_scalar(const float* pointer, cublas::PointerMode mode) {
  return mode == cublas::POINTER_MODE_DEVICE ? Scalar{pointer, 0.0f} : Scalar{nullptr, *pointer};
}

Activation activation_of(cublas_lt::Epilogue epilogue) {
  if ((epilogue & EPILOGUE_RELU) != 0) return Activation::relu;
  return (epilogue & EPILOGUE_GELU) != 0 ? Activation::gelu : Activation::none;
}

GemmProblem product_in_column_order(const LtCall& call) {
  const LtOperation& op = call.operation;
  const LtLayout &a = call.a_layout, &b = call.b_layout, &d = call.d_layout;
  GemmProblem p;
  p.op_a = op_in_column_order(op.op_a, a);
  p.op_b = op_in_column_order(op.op_b, b);
  p.m = d.rows, p.n = d.cols, p.k = columns_of(op.op_a, a);
  p.alpha = to_scalar(call.alpha, op.pointer_mode);
  p.beta = to_scalar(call.beta, op.pointer_mode);
  p.a = call.a, p.lda = a.ld, p.stride_a = a.stride;
  p.b = call.b, p.ldb = b.ld, p.stride_b = b.stride;
  p.c = call.d, p.ldc = d.ld, p.stride_c = d.stride;
  p.batch = d.batch;
  p.bias = op.bias, p.bias_stride = op.bias_stride;
  p.activation = activation_of(op.epilogue);
  return p;
}

/// D in row order is D^T = op(B)^T op(A)^T in column order; what a row of D had, a column of D^T has.
void transpose(GemmProblem& p) {
  std::swap(p.m, p.n);
  std::swap(p.a, p.b);
  std::swap(p.lda, p.ldb);
  std::swap(p.stride_a, p.stride_b);
  p.op_a = flipped(std::exchange(p.op_b, flipped(p.op_a)));
  p.bias_by_column = p.bias != nullptr;
}

/// Where beta may scale a C of its own. False where C cannot be read as the layouts say.
bool add_old_c(const LtCall& call, GemmProblem& p) {
  if (p.beta.device == nullptr && p.beta.value == 0.0f) return true;
  const LtLayout &c = call.c_layout, &d = call.d_layout;
  if (call.c == nullptr || c.ld < p.m) return false;
  const bool same_places = c.ld == d.ld && (d.batch == 1 || c.stride == d.stride);
  if (call.c == call.d) return same_places;
  p.old_c = call.c, p.ld_old_c = c.ld, p.stride_old_c = c.stride;
  return true;
}

}  // namespace

std::optional<GemmProblem> problem_of(const LtCall& call) {
  const bool complete = call.alpha && call.beta && call.a && call.b && call.d;
  if (!complete || !fit_together(call)) return std::nullopt;
  GemmProblem problem = product_in_column_order(call);
  if (in_row_order(call.d_layout)) transpose(problem);
  if (first_illegal_argument(problem) != GemmArgument::none || !add_old_c(call, problem)) return std::nullopt;
  return problem;
}

}  // namespace ladder::shim
