// SPDX-License-Identifier: MIT
// One problem as the benchmark tools speak of it: extents and layout, no memory yet.
#pragma once

#include <cstdint>
#include <string>

#include "gemm_problem.hpp"

namespace ladder::bench {

/// C := op(A) op(B) for `batch` triples of column-major FP32 matrices, each triple right after the one before it
/// (strided batched with strides of whole matrices). Leading dimensions are those of one matrix, in elements.
struct BenchProblem {
  std::string category;  ///< "square", "decode", ...; empty where it has none
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t lda = 0;
  std::int64_t ldb = 0;
  std::int64_t ldc = 0;
  std::int64_t batch = 1;
};

/// The same with every leading dimension of 0 replaced by the smallest legal one.
BenchProblem with_leading_dimensions(BenchProblem problem);

/// Empty, or why nothing can be timed: an extent below 1, a leading dimension (already filled in) that is too small,
/// matrices of more bytes than any memory has: the sum of all three can then be counted in 64 bits.
std::string what_is_illegal(const BenchProblem& problem);

/// Elements from one matrix of a batch to the next: leading dimension times stored columns.
std::int64_t stride_a(const BenchProblem& problem);
std::int64_t stride_b(const BenchProblem& problem);
std::int64_t stride_c(const BenchProblem& problem);

/// 2 m n k for each member of the batch.
double flops(const BenchProblem& problem);

/// Bytes that no implementation can avoid: A and B read once, C written once (beta = 0).
double compulsory_bytes(const BenchProblem& problem);

/// "square NN 4096x4096x4096" (m x n x k), with " ld 5000,4096,4096" and " *96" (batch) where they are not the plain
/// ones.
std::string to_text(const BenchProblem& problem);

}  // namespace ladder::bench
