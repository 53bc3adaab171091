// SPDX-License-Identifier: MIT
// The kernel behind ErrorFigures: the whole product again in float64, compared on the GPU.
#pragma once

#include "error_figures.hpp"
#include "gemm_problem.hpp"

namespace ladder::bench {

inline constexpr int error_sum_blocks = 2048;

/// Sets `parts`, error_sum_blocks of them in device memory, from C := op(A) op(B) of the whole batch. Every element is
/// in one of them, always the same. Enqueues on the default stream and gives the launch's cudaError_t.
int sum_errors(const GemmProblem& problem, ErrorSums* parts);

}  // namespace ladder::bench
