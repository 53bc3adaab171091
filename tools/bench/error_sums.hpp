// SPDX-License-Identifier: MIT
// The kernels behind ErrorFigures: the whole product again in float64, and C compared with it on the GPU.
#pragma once

#include "error_figures.hpp"
#include "gemm_problem.hpp"

namespace ladder::bench {

/// What float64 says of an element of C := op(A) op(B).
struct ExactElement {
  double sum;
  double magnitude;  ///< sum of |a b|
  double largest;    ///< k times the largest |a| of the row times the largest |b| of the column
};

/// Sets `elements`, those of C in their order, without what lies between the columns, in device memory. Enqueues on the
/// default stream and gives the launch's cudaError_t, here and below.
int sum_exactly(const GemmProblem& problem, ExactElement* elements);

inline constexpr int error_sum_blocks = 2048;

/// Sets `parts`, error_sum_blocks of them in device memory, from C and what sum_exactly() said. Every element is in one
/// of them, always the same.
int sum_errors(const GemmProblem& problem, const ExactElement* elements, ErrorSums* parts);

}  // namespace ladder::bench
