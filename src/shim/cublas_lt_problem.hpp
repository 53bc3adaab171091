// SPDX-License-Identifier: MIT
// A call of cublasLtMatmul as a problem. Row order becomes column order here.
#pragma once

#include <optional>

#include "cublas_lt_descriptors.hpp"
#include "gemm_problem.hpp"

namespace ladder::shim {

/// D := activation(alpha op(A) op(B) + beta C + bias), with what the descriptors said of it.
struct LtCall {
  LtOperation operation;
  LtLayout a_layout, b_layout, c_layout, d_layout;
  const float* alpha;
  const float* a;
  const float* b;
  const float* beta;
  const float* c;
  float* d;
};

/// Nothing where the real cuBLASLt should answer: extents that do not fit together, null pointers, C and D in different
/// orders, and whatever else it may refuse. Extents of 0 are taken.
std::optional<GemmProblem> problem_of(const LtCall& call);

}  // namespace ladder::shim
