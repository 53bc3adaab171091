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

/// Products that differ in the addresses of their matrices alone. Either the matrices lie a stride apart (in elements;
/// 0, of A and B, or negative too), or their addresses stand in arrays that the launching device reads.
struct BatchLayout {
  std::int64_t batch = 1;  ///< number of products
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
  const float* const* a_array = nullptr;  ///< `batch` addresses of A. Where c_array is null, there are no arrays;
  const float* const* b_array = nullptr;  ///< where it is not, a, b, c and the strides have no meaning, and a_array
  float* const* c_array = nullptr;        ///< and b_array are only null where neither A nor B is read.
};

/// What an element goes through last. gelu is x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3))).
enum class Activation : std::uint8_t { none, relu, gelu };

/// What becomes of an element once alpha and beta have been applied, before it is stored in C:
/// activation(alpha * op(A) op(B) + beta * (old C) + bias).
struct Epilogue {
  const float* old_c = nullptr;  ///< what beta scales, where that is another matrix, apart from C; null: C itself
  std::int64_t ld_old_c = 1;
  std::int64_t stride_old_c = 0;
  const float* bias = nullptr;   ///< one for each row of C, or null
  std::int64_t bias_stride = 0;  ///< elements from the bias of one product of the batch to the next
  bool bias_by_column = false;   ///< one for each column of C instead
  Activation activation = Activation::none;

  /// True where C becomes alpha * op(A) op(B) + beta * C and nothing else.
  constexpr bool is_plain() const { return old_c == nullptr && bias == nullptr && activation == Activation::none; }
};

/// A product, or the first one of a batch of them.
struct GemmProblem : GemmProduct, BatchLayout, Epilogue {};

/// The arguments that validate() looks at, in the order in which the BLAS reports them.
enum class GemmArgument : std::uint8_t { none, m, n, k, lda, ldb, ldc };

/// First illegal extent or leading dimension in BLAS order, or GemmArgument::none.
/// Pointers are not looked at: which of them may be null depends on the door.
GemmArgument first_illegal_argument(const GemmProblem& problem);

/// True where the BLAS leaves C alone whatever A and B hold: m = 0, n = 0, an empty batch, or, with a plain epilogue, a
/// host-known beta = 1 together with k = 0 or a host-known alpha = 0.
bool is_noop(const GemmProblem& problem);

/// True where A and B must not be read, as far as the host can tell: k = 0 or a host-known alpha = 0.
bool only_scales_c(const GemmProblem& problem);

}  // namespace ladder
