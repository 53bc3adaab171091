// SPDX-License-Identifier: MIT
// What a GemmProblem says about itself before anything runs.
#include "gemm_problem.hpp"

#include <doctest/doctest.h>

namespace ladder::test {

namespace {

// Legal for every pair of ops: no extent is larger than a leading dimension.
GemmProblem legal() {
  GemmProblem p;
  p.m = 4;
  p.n = 5;
  p.k = 6;
  p.lda = p.ldb = p.ldc = 6;
  p.alpha.value = 1.0f;
  p.beta.value = 0.5f;
  return p;
}

}  // namespace

TEST_CASE("a legal problem has no illegal argument") {
  GemmProblem p = legal();
  CHECK(first_illegal_argument(p) == GemmArgument::none);
  p.m = p.n = p.k = 0;
  p.lda = p.ldb = p.ldc = 1;
  CHECK(first_illegal_argument(p) == GemmArgument::none);
}

TEST_CASE("the first illegal argument in BLAS order is reported") {
  GemmProblem p = legal();
  p.ldc = 3;
  CHECK(first_illegal_argument(p) == GemmArgument::ldc);
  p.ldb = 5;
  CHECK(first_illegal_argument(p) == GemmArgument::ldb);
  p.lda = 3;
  CHECK(first_illegal_argument(p) == GemmArgument::lda);
  p.k = -1;
  CHECK(first_illegal_argument(p) == GemmArgument::k);
  p.n = -1;
  CHECK(first_illegal_argument(p) == GemmArgument::n);
  p.m = -1;
  CHECK(first_illegal_argument(p) == GemmArgument::m);
}

TEST_CASE("a leading dimension is held to the rows as stored") {
  GemmProblem p = legal();
  p.lda = 4;
  CHECK(first_illegal_argument(p) == GemmArgument::none);
  p.op_a = Op::transpose;
  CHECK(first_illegal_argument(p) == GemmArgument::lda);
  p.lda = 6;
  p.op_b = Op::transpose;
  p.ldb = 5;
  CHECK(first_illegal_argument(p) == GemmArgument::none);
  p.op_b = Op::none;
  CHECK(first_illegal_argument(p) == GemmArgument::ldb);
}

TEST_CASE("a leading dimension is at least 1 even where there are no rows") {
  GemmProblem p = legal();
  p.m = p.k = 0;
  p.lda = 0;
  CHECK(first_illegal_argument(p) == GemmArgument::lda);
}

TEST_CASE("what touches nothing is a no-op") {
  GemmProblem p = legal();
  CHECK_FALSE(is_noop(p));
  p.m = 0;
  CHECK(is_noop(p));
  p = legal();
  p.n = 0;
  CHECK(is_noop(p));
  p = legal();
  p.k = 0;
  CHECK_FALSE(is_noop(p));
  p.beta.value = 1.0f;
  CHECK(is_noop(p));
  p = legal();
  p.alpha.value = 0.0f;
  p.beta.value = 1.0f;
  CHECK(is_noop(p));
}

TEST_CASE("scalars that only the device knows decide nothing on the host") {
  const float somewhere = 0.0f;
  GemmProblem p = legal();
  p.alpha = {&somewhere, 0.0f};
  p.beta = {nullptr, 1.0f};
  CHECK_FALSE(only_scales_c(p));
  CHECK_FALSE(is_noop(p));
  p.k = 0;
  CHECK(only_scales_c(p));
  CHECK(is_noop(p));
  p.beta = {&somewhere, 1.0f};
  CHECK_FALSE(is_noop(p));
}

}  // namespace ladder::test
