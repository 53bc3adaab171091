// SPDX-License-Identifier: MIT
// A product of host matrices of small integers, which every order of summation computes exactly: with slack below every
// column, and with the result that C must have.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "gemm_problem.hpp"

namespace ladder::test {

struct ProductShape {
  std::int64_t m, n, k;
  Op op_a = Op::none;
  Op op_b = Op::none;
  float alpha = 2.0f;
  float beta = 0.0f;
};

/// Where beta is 0, C and all slack is NaN before; C's slack must stay as it is.
class HostProduct {
 public:
  explicit HostProduct(const ProductShape& s)
      : rows_a_(s.op_a == Op::none ? s.m : s.k),
        rows_b_(s.op_b == Op::none ? s.k : s.n),
        a(filled(rows_a_, s.op_a == Op::none ? s.k : s.m, 7)),
        b(filled(rows_b_, s.op_b == Op::none ? s.n : s.k, 5)),
        c(s.beta == 0.0f ? std::vector<float>(static_cast<std::size_t>((s.m + slack) * s.n), nan)
                         : filled(s.m, s.n, 3)) {
    problem.op_a = s.op_a, problem.op_b = s.op_b;
    problem.m = s.m, problem.n = s.n, problem.k = s.k;
    problem.alpha.value = s.alpha, problem.beta.value = s.beta;
    problem.a = a.data(), problem.b = b.data(), problem.c = c.data();
    problem.lda = rows_a_ + slack, problem.ldb = rows_b_ + slack, problem.ldc = s.m + slack;
    expected = c;
    add_product(expected.data(), {0, s.m, 0, s.n});
  }

  struct Part {
    std::int64_t m0, m, n0, n;
  };

  /// What a CPU would do for a part of C.
  void compute(const Part& part) { add_product(c.data(), part); }

  bool is_right() const { return same_bytes(c, expected); }

  static bool same_bytes(const std::vector<float>& x, const std::vector<float>& y) {
    return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  }

 private:
  static constexpr std::int64_t slack = 3;
  static constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  std::int64_t rows_a_, rows_b_;

  static std::vector<float> filled(std::int64_t rows, std::int64_t columns, std::int64_t modulus) {
    std::vector<float> matrix(static_cast<std::size_t>((rows + slack) * columns), nan);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        matrix[static_cast<std::size_t>(i + j * (rows + slack))] = static_cast<float>((i * 3 + j * 11) % modulus - 2);
    return matrix;
  }

  void add_product(float* to, const Part& part) const {
    const GemmProblem& p = problem;
    for (std::int64_t j = part.n0; j < part.n0 + part.n; ++j) {
      for (std::int64_t i = part.m0; i < part.m0 + part.m; ++i) {
        float sum = 0.0f;
        for (std::int64_t l = 0; l < p.k; ++l)
          sum += p.a[p.op_a == Op::none ? i + l * p.lda : l + i * p.lda] *
                 p.b[p.op_b == Op::none ? l + j * p.ldb : j + l * p.ldb];
        float& element = to[i + j * p.ldc];
        element = p.alpha.value * sum + (p.beta.value == 0.0f ? 0.0f : p.beta.value * element);
      }
    }
  }

 public:
  GemmProblem problem;
  std::vector<float> a, b, c, expected;
};

}  // namespace ladder::test
