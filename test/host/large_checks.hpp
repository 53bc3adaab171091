// SPDX-License-Identifier: MIT
// Whether C = alpha op(A) op(B) + beta C of large matrices is right.
#pragma once

#include <cstdint>
#include <string>

#include "large_matrix.hpp"

namespace ladder::test {

/// Its letters are 'N' or 'T'. A and B hold what they were filled with.
struct LargeProduct {
  char op_a = 'N';
  char op_b = 'N';
  std::int64_t m = 0, n = 0, k = 0;
  LargeMatrix& a;
  LargeMatrix& b;
  LargeMatrix& c;
};

/// With integers, alpha = 1 and beta = 0: true where C v = op(A) (op(B) v) for two random integer vectors v, each of
/// whose sums float64 holds exactly. A wrong row agrees once in some 10^4 vectors.
bool integers_are_right(const LargeProduct& product);

/// True where the extents allow integers_are_right(): no sum leaves what FP32 and float64 hold exactly.
bool integers_are_exact(const LargeProduct& product);

/// Of elements in many columns of many rows, all where there are few: the largest error against float64, as a share of
/// its bound. C was filled with what its filled() says. Infinite where one is NaN.
double worst_of_sample(const LargeProduct& product, float alpha, float beta);

}  // namespace ladder::test
