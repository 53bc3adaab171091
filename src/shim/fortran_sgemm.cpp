// SPDX-License-Identifier: MIT
// SGEMM for Fortran callers under all its names. Hidden CHARACTER lengths, where a caller passes them,
// come after the arguments declared here and are not looked at.
#include <cstdint>

#include "export.hpp"
#include "fortran_op.hpp"
#include "illegal_argument.hpp"
#include "serve_host.hpp"

namespace shim = ladder::shim;
using ladder::GemmProblem;
using ladder::Op;

namespace {

template <class Int>
void sgemm(shim::Door door, const void* caller, const char* op_a, const char* op_b, const Int* m, const Int* n,
           const Int* k, const float* alpha, const float* a, const Int* lda, const float* b, const Int* ldb,
           const float* beta, float* c, const Int* ldc) {
  const auto legal_a = shim::parse_op(*op_a);
  const auto legal_b = shim::parse_op(*op_b);
  if (!legal_a) return shim::report_to_xerbla(shim::op_a_position);
  if (!legal_b) return shim::report_to_xerbla(shim::op_b_position);
  const GemmProblem problem{
      {*legal_a, *legal_b, *m, *n, *k, {nullptr, *alpha}, a, *lda, b, *ldb, {nullptr, *beta}, c, *ldc}, {}, {}};
  if (const int position = shim::fortran_position(ladder::first_illegal_argument(problem)))
    return shim::report_to_xerbla(position);
  shim::serve_host_call(door, problem, caller);
}

}  // namespace

#define FORTRAN_SGEMM(name, Int)                                                                              \
  LADDER_EXPORT void name(const char* op_a, const char* op_b, const Int* m, const Int* n, const Int* k,       \
                          const float* alpha, const float* a, const Int* lda, const float* b, const Int* ldb, \
                          const float* beta, float* c, const Int* ldc) {                                      \
    sgemm<Int>(shim::Door::name, LADDER_CALLER, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);    \
  }
FORTRAN_SGEMM(sgemm_, std::int32_t)
FORTRAN_SGEMM(sgemm, std::int32_t)
FORTRAN_SGEMM(scipy_sgemm_, std::int32_t)
FORTRAN_SGEMM(sgemm_64_, std::int64_t)
FORTRAN_SGEMM(sgemm64_, std::int64_t)
FORTRAN_SGEMM(scipy_sgemm_64_, std::int64_t)
