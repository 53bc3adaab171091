// SPDX-License-Identifier: MIT
// cblas_sgemm under all its names.
#include <cstdint>
#include <optional>
#include <utility>

#include "export.hpp"
#include "host_doors.hpp"
#include "illegal_argument.hpp"
#include "serve_host.hpp"

namespace shim = ladder::shim;
using ladder::GemmArgument;
using ladder::GemmProblem;
using ladder::Op;
using shim::CblasOrder;
using shim::CblasTranspose;

namespace {

constexpr int order_position = 1;

std::optional<Op> parse_op(CblasTranspose op) {
  switch (op) {
    case shim::cblas_no_trans:
      return Op::none;
    case shim::cblas_trans:
    case shim::cblas_conj_trans:
      return Op::transpose;
  }
  return std::nullopt;
}

/// A row-major C = op(A) op(B) is, seen column-major, the transposed product with A and B exchanged.
GemmProblem row_major_as_column_major(GemmProblem problem) {
  std::swap(problem.op_a, problem.op_b);
  std::swap(problem.m, problem.n);
  std::swap(problem.a, problem.b);
  std::swap(problem.lda, problem.ldb);
  return problem;
}

/// `argument` of the column-major problem, where the caller of a row-major one wrote it.
GemmArgument exchanged(GemmArgument argument) {
  constexpr GemmArgument partners[] = {GemmArgument::none, GemmArgument::n,   GemmArgument::m,  GemmArgument::k,
                                       GemmArgument::ldb,  GemmArgument::lda, GemmArgument::ldc};
  return partners[static_cast<int>(argument)];
}

void report_extent(bool row_major, GemmArgument argument) {
  const int as_computed = order_position + shim::fortran_position(argument);
  const int as_written = row_major ? order_position + shim::fortran_position(exchanged(argument)) : as_computed;
  shim::report_to_cblas_xerbla({row_major, as_written, as_computed, "", 0});
}

void report_word(bool row_major, int position, const char* form, int value) {
  shim::report_to_cblas_xerbla({row_major, position, position, form, value});
}

template <class Int>
void sgemm(shim::Door door, const void* caller, CblasOrder order, CblasTranspose op_a, CblasTranspose op_b, Int m,
           Int n, Int k, float alpha, const float* a, Int lda, const float* b, Int ldb, float beta, float* c, Int ldc) {
  const bool row_major = order == shim::cblas_row_major;
  if (!row_major && order != shim::cblas_column_major)
    return report_word(false, order_position, "illegal order %d\n", order);
  const auto legal_a = parse_op(op_a);
  const auto legal_b = parse_op(op_b);
  if (!legal_a) return report_word(row_major, order_position + shim::op_a_position, "illegal TransA %d\n", op_a);
  if (!legal_b) return report_word(row_major, order_position + shim::op_b_position, "illegal TransB %d\n", op_b);
  GemmProblem problem{{*legal_a, *legal_b, m, n, k, {nullptr, alpha}, a, lda, b, ldb, {nullptr, beta}, c, ldc}, {}, {}};
  if (row_major) problem = row_major_as_column_major(problem);
  // As Netlib does, the problem that will be computed is the one that is checked.
  if (const GemmArgument argument = ladder::first_illegal_argument(problem); argument != GemmArgument::none)
    return report_extent(row_major, argument);
  shim::serve_host_call(door, problem, caller);
}

}  // namespace

#define CBLAS_SGEMM(name, Int)                                                                                    \
  LADDER_EXPORT void name(CblasOrder order, CblasTranspose op_a, CblasTranspose op_b, Int m, Int n, Int k,        \
                          float alpha, const float* a, Int lda, const float* b, Int ldb, float beta, float* c,    \
                          Int ldc) {                                                                              \
    sgemm<Int>(shim::Door::name, LADDER_CALLER, order, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); \
  }
CBLAS_SGEMM(cblas_sgemm, std::int32_t)
CBLAS_SGEMM(scipy_cblas_sgemm, std::int32_t)
CBLAS_SGEMM(cblas_sgemm64_, std::int64_t)
CBLAS_SGEMM(cblas_sgemm_64, std::int64_t)
CBLAS_SGEMM(scipy_cblas_sgemm64_, std::int64_t)
