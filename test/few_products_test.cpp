// SPDX-License-Identifier: MIT
// Sums that a few products dominate, emulated: there an FMA leaves nothing away of a product and rounds to nearest, and
// rung 11 is to be as accurate.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "mma_product.cuh"
#include "support/matrix.hpp"
#include "tensor_launch.cuh"

namespace ladder::test {

namespace {

constexpr std::int64_t m = 48;
constexpr std::int64_t n = 40;

/// Normal; in one of `distance` k, from `first` on, 2^30 times as much; and zero but for one in `one_in`.
Matrix few_large(std::int64_t lines, std::int64_t k, std::uint32_t seed, int first, int distance, unsigned one_in) {
  Matrix matrix(lines, k, lines, 0);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  for (std::int64_t l = 0; l < k; ++l) {
    for (std::int64_t line = 0; line < lines; ++line) {
      const float drawn = normal(generator);
      const bool kept = generator() % one_in == 0;
      matrix.at(line, l) = !kept ? 0.0f : l % distance == first ? std::ldexp(drawn, 30) : drawn;
    }
  }
  return matrix;
}

float by_fmas(const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t j) {
  float sum = 0.0f;
  for (std::int64_t l = 0; l < a.columns(); ++l) sum = std::fma(a.at(i, l), b.at(j, l), sum);
  return sum;
}

double exact(const Matrix& a, const Matrix& b, std::int64_t i, std::int64_t j) {
  double sum = 0.0;
  for (std::int64_t l = 0; l < a.columns(); ++l) sum += double{a.at(i, l)} * b.at(j, l);
  return sum;
}

/// The norm of rung 11's errors over that of the errors of FMAs in the order of k.
double error_over_fmas(Matrix a, Matrix b) {
  Matrix c(m, n, m, 0);
  GemmProblem p;
  p.op_b = Op::transpose;
  p.m = m, p.n = n, p.k = a.columns();
  p.alpha.value = 1.0f;
  p.a = a.data(), p.lda = a.ld();
  p.b = b.data(), p.ldb = b.ld();
  p.c = c.data(), p.ldc = c.ld();
  REQUIRE(emulated::launch_bf16x3<emulated::launch_multiply_planes<PlaneFormat::bf16x3>>(p, nullptr) == launch_ok);
  double ours = 0.0;
  double of_fmas = 0.0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      const double due = exact(a, b, i, j);
      ours += std::pow(c.at(i, j) - due, 2);
      of_fmas += std::pow(by_fmas(a, b, i, j) - due, 2);
    }
  }
  return std::sqrt(ours / of_fmas);
}

}  // namespace

TEST_CASE("rung 11 is no less accurate than FMAs where few products make up a sum") {
  for (const std::int64_t k : {64, 256, 1024}) {
    INFO("k=", k);
    CHECK(error_over_fmas(few_large(m, k, 1, 0, 64, 1), few_large(n, k, 2, 32, 64, 1)) <= 1.0);
    CHECK(error_over_fmas(few_large(m, k, 3, -1, 64, 10), few_large(n, k, 4, -1, 64, 10)) <= 1.0);
  }
}

}  // namespace ladder::test
