// SPDX-License-Identifier: MIT
// The oracle under test: another BLAS must agree with it, and a wrong answer must not.
#include "support/oracle.hpp"

#include <cblas.h>
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

CBLAS_TRANSPOSE cblas_op(Op op) { return op == Op::none ? CblasNoTrans : CblasTrans; }

int narrow(std::int64_t value) { return static_cast<int>(value); }

std::vector<double> elements(const Matrix& matrix) {
  std::vector<double> all;
  for (std::int64_t j = 0; j < matrix.columns(); ++j) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) all.push_back(matrix.at(i, j));
  }
  return all;
}

// The same problem in the BLAS's own float64, from exact copies of the operands.
std::vector<double> dgemm_result(const Operands& operands) {
  const Case& how = operands.how;
  const std::vector<double> a = elements(operands.a);
  const std::vector<double> b = elements(operands.b);
  std::vector<double> c = elements(operands.c);
  cblas_dgemm(CblasColMajor, cblas_op(how.op_a), cblas_op(how.op_b), narrow(how.shape.m), narrow(how.shape.n),
              narrow(how.shape.k), how.alpha, a.data(), narrow(operands.a.rows()), b.data(), narrow(operands.b.rows()),
              how.beta, c.data(), narrow(operands.c.rows()));
  return c;
}

constexpr Shape shapes[] = {{1, 1, 1}, {7, 5, 997}, {64, 64, 64}, {129, 33, 17}, {3, 200, 50}};

template <class Body>
void for_each_case(const Body& body) {
  for (const Shape& shape : shapes) {
    for (const Op op_a : {Op::none, Op::transpose}) {
      for (const Op op_b : {Op::none, Op::transpose}) {
        body(Operands({.shape = shape, .op_a = op_a, .op_b = op_b, .alpha = 0.7f, .beta = -1.3f}));
      }
    }
  }
}

}  // namespace

TEST_CASE("the oracle is another BLAS's float64") {
  for_each_case([](const Operands& operands) {
    Matrix c = operands.c;
    const std::vector<Expected> expected = expected_result(operands.problem(c));
    const std::vector<double> dgemm = dgemm_result(operands);
    // Both are within gamma_(k+2) of the exact value in float64, which is what the bound is in FP32 but for 2^29.
    for (std::size_t i = 0; i < dgemm.size(); ++i) {
      CHECK(std::fabs(dgemm[i] - expected[i].value) <= 2 * 0x1p-28 * expected[i].bound);
    }
  });
}

TEST_CASE("another BLAS's FP32 is within the bound") {
  for_each_case([](const Operands& operands) {
    const Case& how = operands.how;
    Matrix c = operands.c;
    const GemmProblem p = operands.problem(c);
    const std::vector<Expected> expected = expected_result(p);
    cblas_sgemm(CblasColMajor, cblas_op(how.op_a), cblas_op(how.op_b), narrow(p.m), narrow(p.n), narrow(p.k), how.alpha,
                p.a, narrow(p.lda), p.b, narrow(p.ldb), how.beta, p.c, narrow(p.ldc));
    // Its order of operations is its own: alpha may go into an operand, and products need not be fused.
    constexpr double other_roundings = 4.0;
    for (std::int64_t j = 0; j < p.n; ++j) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        const Expected& due = expected[static_cast<std::size_t>(i + j * p.m)];
        CHECK(std::fabs(static_cast<double>(c.at(i, j)) - due.value) <= other_roundings * due.bound);
      }
    }
  });
}

TEST_CASE("a wrong answer does not pass") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(agrees(1.0f, {1.0, 0.0}));
  CHECK_FALSE(agrees(std::nextafter(1.0f, 2.0f), {1.0, 0x1p-24}));
  CHECK_FALSE(agrees(nan, {1.0, 1e30}));
  CHECK_FALSE(agrees(infinity, {1.0, 1e30}));
  CHECK_FALSE(agrees(1.0f, {std::numeric_limits<double>::quiet_NaN(), 1e30}));
  CHECK_FALSE(agrees(-infinity, {std::numeric_limits<double>::infinity(), 0.0}));
  CHECK(agrees(nan, {std::numeric_limits<double>::quiet_NaN(), 0.0}));
}

}  // namespace ladder::test
