// SPDX-License-Identifier: MIT
// The bounds of the tensor cores' sums under test: what an honest rung makes of the elements is within them, and what
// makes less of them is not.
#include "support/precision_bounds.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "support/oracle.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

/// x with so many bits behind its first one: rounded to nearest, or cut off.
float with_bits(float x, int bits, bool rounded) {
  const int dropped = 23 - bits;
  std::uint32_t pattern = std::bit_cast<std::uint32_t>(x);
  if (rounded) pattern += std::uint32_t{1} << (dropped - 1);
  return std::bit_cast<float>(pattern >> dropped << dropped);
}

/// Elements of C outside the bound if A and B are read with so many bits, and all else is exact.
int outside(Precision precision, std::int64_t k, int bits, bool rounded, float scale = 1.0f) {
  constexpr std::int64_t m = 9;
  constexpr std::int64_t n = 7;
  Operands operands({.shape = {m, n, k}});
  for (std::int64_t l = 0; l < k; ++l) operands.a.at(0, l) *= scale;
  Matrix c = operands.c;
  const GemmProblem problem = operands.problem(c);
  const std::vector<Expected> expected = expected_result(problem, precision);
  int wrong = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      double sum = 0.0;
      for (std::int64_t l = 0; l < k; ++l) {
        sum += static_cast<double>(with_bits(operands.a.at(i, l), bits, rounded)) *
               static_cast<double>(with_bits(operands.b.at(l, j), bits, rounded));
      }
      const Expected& due = expected[static_cast<std::size_t>(i + j * m)];
      wrong += std::fabs(sum - due.value) <= due.bound ? 0 : 1;
    }
  }
  return wrong;
}

double bound_of(Precision precision, std::int64_t k) {
  const Operands operands({.shape = {1, 1, k}});
  Matrix c = operands.c;
  return SumBounds(operands.problem(c), k, precision).at(0, 0, 1.0);
}

}  // namespace

TEST_CASE("TF32's bound has room for 10 bits, rounded, and for none fewer") {
  CHECK(outside(Precision::tf32, 1, 10, true) == 0);
  CHECK(outside(Precision::tf32, 300, 10, true) == 0);
  CHECK(outside(Precision::tf32, 1, 9, true) > 0);
  CHECK(outside(Precision::tf32, 1, 10, false) > 0);
  CHECK(outside(Precision::fp32, 1, 10, true) > 50);
}

TEST_CASE("the bounds of planes leave no element fewer bits than its planes hold") {
  CHECK(outside(Precision::bf16x6, 48, 21, true) == 0);
  CHECK(outside(Precision::bf16x6, 1, 16, true) > 0);  // as if the low plane of bf16 were lost
  CHECK(outside(Precision::fp16x3, 48, 21, true) == 0);
  CHECK(outside(Precision::fp16x3, 1, 19, false) > 0);  // two planes hold 21 bits
}

TEST_CASE("the bounds of planes are FP32's or less, but for the smallest k and for elements far below their row's") {
  for (const std::int64_t k : {19, 31, 32, 33, 48, 1000, 65536}) {
    CHECK(bound_of(Precision::bf16x6, k) <= bound_of(Precision::fp32, k));
  }
  for (const std::int64_t k : {48, 50, 63, 64, 65, 1000, 65536}) {
    const double of_small_elements = 0x1p-38 * static_cast<double>(k);
    CHECK(bound_of(Precision::fp16x3, k) <= bound_of(Precision::fp32, k) + of_small_elements);
  }
  CHECK(bound_of(Precision::bf16x6, 65536) < bound_of(Precision::fp32, 65536) / 15);
  CHECK(bound_of(Precision::fp16x3, 65536) < bound_of(Precision::fp32, 65536) / 15);
  CHECK(bound_of(Precision::tf32, 1000) > bound_of(Precision::fp32, 1000));
}

TEST_CASE("what may lie beyond the range of planes has FP32's bound") {
  constexpr std::int64_t k = 1000;
  Operands operands({.shape = {1, 1, k}});
  operands.a.at(0, 5) = 0x1p100f;
  Matrix c = operands.c;
  const GemmProblem problem = operands.problem(c);
  const double of_fp32 = SumBounds(problem, k, Precision::fp32).at(0, 0, 1.0);
  CHECK(SumBounds(problem, k, Precision::bf16x6).at(0, 0, 1.0) == of_fp32);
  CHECK(SumBounds(problem, k, Precision::fp16x3).at(0, 0, 1.0) >= of_fp32);
  operands.a.at(0, 5) = std::numeric_limits<float>::quiet_NaN();
  CHECK(SumBounds(problem, k, Precision::bf16x6).at(0, 0, 1.0) == of_fp32);
}

}  // namespace ladder::test
