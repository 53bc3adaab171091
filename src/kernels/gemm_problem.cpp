// SPDX-License-Identifier: MIT
#include "gemm_problem.hpp"

#include <algorithm>

namespace ladder {

namespace {

bool host_known(const Scalar& scalar, float value) { return scalar.device == nullptr && scalar.value == value; }

std::int64_t smallest_ld(std::int64_t stored_rows) { return std::max<std::int64_t>(1, stored_rows); }

}  // namespace

GemmArgument first_illegal_argument(const GemmProblem& p) {
  const std::int64_t stored_rows_a = p.op_a == Op::none ? p.m : p.k;
  const std::int64_t stored_rows_b = p.op_b == Op::none ? p.k : p.n;
  if (p.m < 0) return GemmArgument::m;
  if (p.n < 0) return GemmArgument::n;
  if (p.k < 0) return GemmArgument::k;
  if (p.lda < smallest_ld(stored_rows_a)) return GemmArgument::lda;
  if (p.ldb < smallest_ld(stored_rows_b)) return GemmArgument::ldb;
  if (p.ldc < smallest_ld(p.m)) return GemmArgument::ldc;
  return GemmArgument::none;
}

bool only_scales_c(const GemmProblem& p) { return p.k == 0 || host_known(p.alpha, 0.0f); }

bool is_noop(const GemmProblem& p) {
  if (p.m == 0 || p.n == 0 || p.batch <= 0) return true;
  return p.is_plain() && only_scales_c(p) && host_known(p.beta, 1.0f);
}

}  // namespace ladder
