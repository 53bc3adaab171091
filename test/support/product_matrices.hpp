// SPDX-License-Identifier: MIT
// The three matrices of a product, as the tests and `ladder verify` draw them.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>

#include "gemm_problem.hpp"
#include "matrix.hpp"

namespace ladder::test {

/// A and B random; C random, or NaN where beta = 0, which must not read it. The same for the same seed.
struct ProductMatrices {
  /// Ops, extents, leading dimensions and the value of beta are those of `shape`; its addresses are not looked at.
  ProductMatrices(const GemmProblem& shape, int shift, std::uint32_t seed)
      : a(stored(shape.op_a, shape.m, shape.k, shape.lda, shift)),
        b(stored(shape.op_b, shape.k, shape.n, shape.ldb, shift)),
        c(stored(Op::none, shape.m, shape.n, shape.ldc, shift)) {
    constexpr std::uint32_t matrices = 3;
    a.fill_randomly(matrices * seed);
    b.fill_randomly(matrices * seed + 1);
    c.fill_randomly(matrices * seed + 2);
    if (shape.beta.value == 0.0f) c.fill(std::numeric_limits<float>::quiet_NaN());
  }

  /// `shape` with the present addresses of A and B, and with `result` as C.
  GemmProblem problem(GemmProblem shape, Matrix& result) const {
    shape.a = a.data();
    shape.b = b.data();
    shape.c = result.data();
    return shape;
  }

  Matrix a;
  Matrix b;
  Matrix c;

 private:
  static Matrix stored(Op op, std::int64_t rows, std::int64_t columns, std::int64_t ld, int shift) {
    if (op == Op::transpose) std::swap(rows, columns);
    return {rows, columns, ld, shift};
  }
};

}  // namespace ladder::test
