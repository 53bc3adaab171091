// SPDX-License-Identifier: MIT
// One product of large matrices in host memory through sgemm_, all of whose result is checked.
//
//   large_product OPS:MxNxK [anyone]      as in NN:40000x40000x40000
//
// 1. Small integers, whose sums FP32 holds exactly in any order, C full of NaN and beta = 0: every row of C is held to
//    the last bit.
// 2. Uniform numbers, alpha and beta: elements of many rows and columns, in float64, within the bound of FP32.
//
// A, B and what lies between the columns of C must be as they were, and a rung of the ladder must have served both
// calls, unless the second word says that anyone may. The exit code is 1 where anything is wrong.
#include <ladderblas/ladderblas.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <string_view>

#include "large_checks.hpp"
#include "large_matrix.hpp"

extern "C" void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
                       const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
                       const int* ldc);

namespace {

using ladder::test::LargeMatrix;
using ladder::test::LargeProduct;
using ladder::test::Values;

constexpr int calls = 2;

struct Wanted {
  char op_a = 0, op_b = 0;
  int m = 0, n = 0, k = 0;
};

bool parse(const char* text, Wanted& wanted) {
  const auto is_op = [](char letter) { return letter == 'N' || letter == 'T'; };
  const int found = std::sscanf(text, "%c%c:%dx%dx%d", &wanted.op_a, &wanted.op_b, &wanted.m, &wanted.n, &wanted.k);
  return found == 5 && is_op(wanted.op_a) && is_op(wanted.op_b) && wanted.m > 0 && wanted.n > 0 && wanted.k > 0;
}

void multiply(LargeProduct& p, float alpha, float beta) {
  const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
  const int lda = static_cast<int>(p.a.ld()), ldb = static_cast<int>(p.b.ld()), ldc = static_cast<int>(p.c.ld());
  const auto begin = std::chrono::steady_clock::now();
  sgemm_(&p.op_a, &p.op_b, &m, &n, &k, &alpha, p.a.data(), &lda, p.b.data(), &ldb, &beta, p.c.data(), &ldc);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  std::printf("%.3f s, %.0f GFLOP/s: ", seconds, flops / seconds * 1e-9);
}

/// Whether what was only read, or not to be touched, is as it was.
bool untouched(const LargeProduct& p) { return p.a.intact(true) && p.b.intact(true) && p.c.intact(false); }

bool say(bool right, const char* what) {
  std::printf("%s%s\n", what, right ? "" : ": WRONG");
  std::fflush(stdout);
  return right;
}

bool check_integers(LargeProduct& p) {
  p.a.fill(Values::integers);
  p.b.fill(Values::integers);
  p.c.fill(Values::blank);
  multiply(p, 1.0f, 0.0f);
  return say(ladder::test::integers_are_right(p) && untouched(p), "integers, every row exact");
}

bool check_uniform(LargeProduct& p) {
  constexpr float alpha = -1.5f, beta = 0.5f;
  for (LargeMatrix* matrix : {&p.a, &p.b, &p.c}) matrix->fill(Values::uniform);
  multiply(p, alpha, beta);
  const double worst = ladder::test::worst_of_sample(p, alpha, beta);
  std::printf("worst error %.3f of its bound, ", worst);
  return say(worst <= 1.0 && untouched(p), "uniform numbers");
}

/// Of all calls, those that a rung of the ladder served.
std::uint64_t served_by_rungs() {
  std::uint64_t served = 0;
  ladder_rung rung{};
  for (int i = 0; ladder_rung_info(i, &rung) == LADDER_OK; ++i) {
    const std::uint64_t by_this = ladder_call_count("sgemm_", rung.name);
    if (by_this > 0) std::printf("%s served %d calls\n", rung.name, static_cast<int>(by_this));
    served += by_this;
  }
  return served;
}

int run(const Wanted& wanted, bool by_anyone) {
  const bool a_stands = wanted.op_a == 'N', b_stands = wanted.op_b == 'N';
  LargeMatrix a(1ull << 62, a_stands ? wanted.m : wanted.k, a_stands ? wanted.k : wanted.m);
  LargeMatrix b(2ull << 62, b_stands ? wanted.k : wanted.n, b_stands ? wanted.n : wanted.k);
  LargeMatrix c(3ull << 62, wanted.m, wanted.n);
  LargeProduct product{wanted.op_a, wanted.op_b, wanted.m, wanted.n, wanted.k, a, b, c};
  if (!ladder::test::integers_are_exact(product)) {
    std::fputs("large_product: k is too large for integers to stay exact\n", stderr);
    return 2;
  }
  const bool integers = check_integers(product);
  const bool uniform = check_uniform(product);
  const bool served = say(served_by_rungs() == calls || by_anyone,
                          by_anyone ? "the rest was served by anyone" : "a rung served each call");
  return integers && uniform && served ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  Wanted wanted;
  const bool by_anyone = count == 3 && std::string_view(words[2]) == "anyone";
  if ((count != 2 && !by_anyone) || !parse(words[1], wanted)) {
    std::fputs("usage: large_product OPS:MxNxK [anyone], as in NN:40000x40000x40000\n", stderr);
    return 2;
  }
  try {
    return run(wanted, by_anyone);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "large_product: %s\n", problem.what());
    return 1;
  }
}
