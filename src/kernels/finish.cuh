// SPDX-License-Identifier: MIT
// What an element of C goes through once alpha, and beta of C itself, have been applied: another old C, a bias, an
// activation. Kernels come here only where there is any of them, after their stores, so that what most problems need
// stays as short as it was. A thread reads back what it has stored, or keeps it in registers where it stores little.
#pragma once

#include <cmath>

#include "epilogue.cuh"
#include "operand.cuh"

namespace ladder::LADDER_DEVICE {

/// Where an element of C stands.
struct ElementPlace {
  std::int64_t product;  ///< of the batch
  std::int64_t row;
  std::int64_t column;
};

/// NaN stays NaN.
__device__ __forceinline__ float relu(float x) { return x < 0.0f ? 0.0f : x; }

/// x/2 * (1 + tanh(u)) with u = sqrt(2/pi) * (x + 0.044715 * x^3), as x / (1 + exp(-2 u)): the same, without the
/// cancellation for negative x. NaN stays NaN, and becomes of -infinity, as it does by the formula.
__device__ __forceinline__ float gelu(float x) {
  constexpr float linear = -1.5957691216f;  // -2 * sqrt(2/pi)
  constexpr float cubic = -0.0713548162726f;
  const float exponential = expf(__fmul_rn(x, __fmaf_rn(__fmul_rn(cubic, x), x, linear)));
  return __fdividef(x, __fadd_rn(1.0f, exponential));
}

/// Finishes COUNT neighbours in a column of C, the first of which stands at `at`, and of which C has `rows`.
template <int COUNT>
__device__ __forceinline__ void finish(const Epilogue& epilogue, const GemmProduct& p, const ElementPlace& at,
                                       float (&value)[COUNT], int rows) {
  constexpr int old_c = 1, bias_by_row = 2, bias_by_column = 4, through_relu = 8, through_gelu = 16;
  // The compiler would make a copy of the loop around this for each combination that it can see.
  const int steps = computed_again((epilogue.old_c != nullptr ? old_c : 0) |
                                   (epilogue.bias == nullptr  ? 0
                                    : epilogue.bias_by_column ? bias_by_column
                                                              : bias_by_row) |
                                   (epilogue.activation == Activation::relu ? through_relu : 0) |
                                   (epilogue.activation == Activation::gelu ? through_gelu : 0));
  if (steps & old_c) {
    const Scalars s = load_scalars(p);
    if (s.beta != 0.0f) {
      const float* old = epilogue.old_c + at.product * epilogue.stride_old_c + at.row + at.column * epilogue.ld_old_c;
#pragma unroll
      for (int i = 0; i < COUNT; ++i) {
        if (i >= rows) continue;
        value[i] = s.alpha == 0.0f ? __fmul_rn(s.beta, old[i]) : __fmaf_rn(s.beta, old[i], value[i]);
      }
    }
  }
  if (steps & (bias_by_row | bias_by_column)) {
    const float* bias = epilogue.bias + at.product * epilogue.bias_stride;
    const bool by_row = (steps & bias_by_row) != 0;
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      if (i < rows) value[i] = __fadd_rn(value[i], by_row ? bias[at.row + i] : bias[at.column]);
    }
  }
  if (steps & through_relu) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) value[i] = relu(value[i]);
  } else if (steps & through_gelu) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) value[i] = gelu(value[i]);
  }
}

/// The same for one element.
__device__ __forceinline__ float finished(const Epilogue& epilogue, const GemmProduct& p, const ElementPlace& at,
                                          float value) {
  float values[1] = {value};
  finish(epilogue, p, at, values, 1);
  return values[0];
}

/// Four neighbours in a column of C, of which C has `rows`, none where that is not positive.
struct QuadPlace {
  std::int64_t row;
  std::int64_t column;
  int rows;
};

/// A quad in C: 128 bits at once where C allows it.
class QuadOfC {
 public:
  __device__ __forceinline__ QuadOfC(const GemmProduct& p, const QuadPlace& at)
      : c_(p.c + at.row + at.column * p.ldc), rows_(at.rows), whole_(at.rows >= vec && quads_aligned(c_, 0)) {}

  __device__ __forceinline__ void read(float (&value)[vec]) const {
    if (whole_) {
      const float4 quad = *reinterpret_cast<const float4*>(c_);
      value[0] = quad.x, value[1] = quad.y, value[2] = quad.z, value[3] = quad.w;
    } else {
#pragma unroll
      for (int i = 0; i < vec; ++i) value[i] = i < rows_ ? c_[i] : 0.0f;
    }
  }

  __device__ __forceinline__ void write(const float (&value)[vec]) const {
    if (whole_) {
      *reinterpret_cast<float4*>(c_) = make_float4(value[0], value[1], value[2], value[3]);
    } else {
#pragma unroll
      for (int i = 0; i < vec; ++i) {
        if (i < rows_) c_[i] = value[i];
      }
    }
  }

 private:
  float* c_;
  int rows_;
  bool whole_;
};

/// The whole epilogue of four sums that C has not seen yet, of product number `product`.
__device__ __forceinline__ void blend_and_finish(const Epilogue& epilogue, const GemmProduct& p, std::int64_t product,
                                                 const Scalars& s, const QuadPlace& at, const float* sum) {
  const float* c = p.c + at.row + at.column * p.ldc;
  float value[vec];
#pragma unroll
  for (int i = 0; i < vec; ++i) value[i] = i < at.rows ? blend(s, sum[i], c + i) : 0.0f;
  finish(epilogue, p, {product, at.row, at.column}, value, at.rows);
  QuadOfC(p, at).write(value);
}

/// Finishes `count` quads of product number `product`, quad q being at place_of(q), that this thread has stored. One
/// is on its way while another is finished.
template <class PlaceOf>
__device__ __forceinline__ void finish_quads(const Epilogue& epilogue, const GemmProduct& p, std::int64_t product,
                                             int count, const PlaceOf& place_of) {
  float ahead[vec];
  QuadOfC(p, place_of(0)).read(ahead);
#pragma unroll 1
  for (int quad = 0; quad < count; ++quad) {
    const QuadPlace at = place_of(quad);
    float value[vec] = {ahead[0], ahead[1], ahead[2], ahead[3]};
    if (quad + 1 < count) QuadOfC(p, place_of(quad + 1)).read(ahead);
    finish(epilogue, p, {product, at.row, at.column}, value, at.rows);
    QuadOfC(p, at).write(value);
  }
}

}  // namespace ladder::LADDER_DEVICE
