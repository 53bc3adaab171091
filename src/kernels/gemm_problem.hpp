// SPDX-License-Identifier: MIT
// The validated request that every door builds and every rung serves.
#pragma once

#include <cstdint>

namespace ladder {

/// op(X): the matrix as stored, or its transpose (a conjugate transpose of real data is a transpose).
enum class Op : std::uint8_t { none, transpose };

/// alpha or beta: a value known on the host, or an address to be read on the device by the kernel.
struct Scalar {
  const float* device = nullptr;  ///< read by the kernel when not null; `value` is then ignored
  float value = 0.0f;
};

/// C := alpha * op(A) * op(B) + beta * C, all matrices column-major, FP32.
///
/// op(A) is m x k, op(B) is k x n, C is m x n. A leading dimension is the number of elements between
/// two columns as stored. a, b and c are addresses of the memory that the launching device reads:
/// GPU memory for the GPU, host memory for the emulator.
struct GemmProduct {
  Op op_a = Op::none;
  Op op_b = Op::none;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Scalar alpha;
  const float* a = nullptr;
  std::int64_t lda = 1;
  const float* b = nullptr;
  std::int64_t ldb = 1;
  Scalar beta;
  float* c = nullptr;
  std::int64_t ldc = 1;
};

// nvcc 13 compiles a kernel whose parameter is larger otherwise: the warp-tiled rung lost 13 % to 32 bytes more.
static_assert(sizeof(GemmProduct) <= 128, "a kernel's parameter");

/// Products that differ in the addresses of their matrices alone: elements from one matrix to the next. A stride may
/// be 0 (of A and B) or negative.
struct BatchLayout {
  std::int64_t batch = 1;  ///< number of products
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
};

/// A product, or the first one of a batch of them.
struct GemmProblem : GemmProduct, BatchLayout {};

/// The arguments that validate() looks at, in the order in which the BLAS reports them.
enum class GemmArgument : std::uint8_t { none, m, n, k, lda, ldb, ldc };

/// First illegal extent or leading dimension in BLAS order, or GemmArgument::none.
/// Pointers are not looked at: which of them may be null depends on the door.
GemmArgument first_illegal_argument(const GemmProblem& problem);

/// True where the BLAS leaves C alone whatever A and B hold: m = 0, n = 0, an empty batch, or a
/// host-known beta = 1 together with k = 0 or a host-known alpha = 0.
bool is_noop(const GemmProblem& problem);

/// True where A and B must not be read, as far as the host can tell: k = 0 or a host-known alpha = 0.
bool only_scales_c(const GemmProblem& problem);

}  // namespace ladder
