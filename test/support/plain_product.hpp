// SPDX-License-Identifier: MIT
// A product by the simplest loop that gives the bits of a rung that sums by k.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gemm_problem.hpp"

namespace ladder::test {

/// alpha and beta as a kernel applies them; beta = 0 does not read C.
inline float plain_blend(float alpha, float sum, float beta, const float& c) {
  if (beta == 0.0f) return alpha == 0.0f ? 0.0f : alpha * sum;
  return alpha == 0.0f ? beta * c : std::fma(beta, c, alpha * sum);
}

/// One product with scalars that the host knows, a plain epilogue: an element's sum in the order of k, by FMAs.
inline void plain_product(const GemmProblem& p) {
  const bool reads_ab = !only_scales_c(p);
  const std::int64_t a_row = p.op_a == Op::none ? 1 : p.lda, a_step = p.op_a == Op::none ? p.lda : 1;
  const std::int64_t b_step = p.op_b == Op::none ? 1 : p.ldb, b_column = p.op_b == Op::none ? p.ldb : 1;
  std::vector<float> sums(static_cast<std::size_t>(p.m));
  for (std::int64_t j = 0; j < p.n; ++j) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    for (std::int64_t l = 0; reads_ab && l < p.k; ++l) {
      const float b = p.b[l * b_step + j * b_column];
      for (std::int64_t i = 0; i < p.m; ++i) {
        float& sum = sums[static_cast<std::size_t>(i)];
        sum = std::fma(p.a[i * a_row + l * a_step], b, sum);
      }
    }
    for (std::int64_t i = 0; i < p.m; ++i) {
      float& c = p.c[i + j * p.ldc];
      c = plain_blend(p.alpha.value, sums[static_cast<std::size_t>(i)], p.beta.value, c);
    }
  }
}

}  // namespace ladder::test
