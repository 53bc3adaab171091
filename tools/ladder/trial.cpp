// SPDX-License-Identifier: MIT
#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace ladder::cli {

namespace {

constexpr std::size_t guard = 64;                      // elements before and behind each matrix
constexpr std::int64_t most_products = 1'000'000'000;  // that float64 does again for one trial
constexpr float poison = std::numeric_limits<float>::quiet_NaN();

/// A column-major matrix of random numbers; NaN in the guards and between the columns.
struct Matrix {
  std::int64_t rows, columns, ld;
  std::vector<float> buffer;

  Matrix(std::int64_t rows, std::int64_t columns, std::int64_t extra_ld, std::mt19937& random)
      : rows(rows), columns(columns), ld(std::max<std::int64_t>(1, rows) + extra_ld) {
    buffer.assign(static_cast<std::size_t>(ld * columns) + 2 * guard, poison);
    std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) at(i, j) = uniform(random);
    }
  }

  float& at(std::int64_t i, std::int64_t j) { return buffer[guard + static_cast<std::size_t>(i + j * ld)]; }
  float at(std::int64_t i, std::int64_t j) const { return buffer[guard + static_cast<std::size_t>(i + j * ld)]; }
};

float element(const Matrix& x, Op op, std::int64_t i, std::int64_t j) {
  return op == Op::none ? x.at(i, j) : x.at(j, i);
}

bool same_bits(float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; }

/// True where nothing but the elements of the matrix changed.
bool only_elements_changed(const Matrix& before, const Matrix& after) {
  const auto inside = [&](std::size_t at) {
    if (at < guard || at >= before.buffer.size() - guard) return false;
    return static_cast<std::int64_t>(at - guard) % before.ld < before.rows;
  };
  for (std::size_t at = 0; at < before.buffer.size(); ++at) {
    if (!inside(at) && !same_bits(before.buffer[at], after.buffer[at])) return false;
  }
  return true;
}

struct Operands {
  Matrix a, b, c;
};

Operands draw(const TrialSpec& spec) {
  std::mt19937 random(spec.seed);
  const bool a_as_is = spec.op_a == Op::none, b_as_is = spec.op_b == Op::none;
  Operands drawn{{a_as_is ? spec.m : spec.k, a_as_is ? spec.k : spec.m, spec.extra_ld, random},
                 {b_as_is ? spec.k : spec.n, b_as_is ? spec.n : spec.k, spec.extra_ld, random},
                 {spec.m, spec.n, spec.extra_ld, random}};
  // beta = 0 must not read C.
  if (spec.beta == 0.0f) std::fill(drawn.c.buffer.begin(), drawn.c.buffer.end(), poison);
  return drawn;
}

GemmProblem problem_of(const TrialSpec& spec, const Operands& x) {
  return {.op_a = spec.op_a,
          .op_b = spec.op_b,
          .m = spec.m,
          .n = spec.n,
          .k = spec.k,
          .alpha = {nullptr, spec.alpha},
          .a = nullptr,
          .lda = x.a.ld,
          .b = nullptr,
          .ldb = x.b.ld,
          .beta = {nullptr, spec.beta},
          .c = nullptr,
          .ldc = x.c.ld};
}

/// One element in float64, and the error that FP32 may make of it.
///
/// A term of the sum meets at most k roundings, then those of alpha and of beta's sum: k + 2 in all, so
/// the error is at most gamma_(k+2) times the sum of the terms' sizes; below that, half a subnormal each.
struct Exact {
  double value, bound;
};

Exact exact_element(const TrialSpec& spec, const Operands& x, std::int64_t i, std::int64_t j) {
  constexpr double unit_roundoff = std::numeric_limits<float>::epsilon() / 2;
  constexpr double half_subnormal = double{std::numeric_limits<float>::denorm_min()} / 2;
  double sum = 0.0, size = 0.0;
  for (std::int64_t l = 0; spec.alpha != 0.0f && l < spec.k; ++l) {
    const double term = double{element(x.a, spec.op_a, i, l)} * element(x.b, spec.op_b, l, j);
    sum += term;
    size += std::abs(term);
  }
  const double kept = spec.beta == 0.0f ? 0.0 : double{spec.beta} * x.c.at(i, j);
  const double roundings = static_cast<double>(spec.k + 2);
  const double gamma = roundings * unit_roundoff / (1.0 - roundings * unit_roundoff);
  return {spec.alpha * sum + kept, gamma * (std::abs(spec.alpha) * size + std::abs(kept)) + roundings * half_subnormal};
}

Verdict judge(const TrialSpec& spec, const Operands& before, const Matrix& after) {
  Verdict verdict;
  const std::int64_t all = spec.m * spec.n;
  const std::int64_t step = 1 + all / std::max<std::int64_t>(1, most_products / std::max<std::int64_t>(1, spec.k));
  for (std::int64_t at = 0; at < all; at += step, ++verdict.elements) {
    const std::int64_t i = at % spec.m, j = at / spec.m;
    const Exact exact = exact_element(spec, before, i, j);
    const double error = std::abs(after.at(i, j) - exact.value);
    if (!(error <= exact.bound) && verdict.complaint.empty()) {
      verdict.complaint = fmt::format("C({}, {}) is {:.9g}, wanted {:.9g} within {:.2g}", i, j, after.at(i, j),
                                      exact.value, exact.bound);
    }
    verdict.worst_error = std::fmax(verdict.worst_error, error);
    verdict.worst_share = std::fmax(verdict.worst_share, error / exact.bound);
  }
  return verdict;
}

char letter(Op op) { return op == Op::none ? 'N' : 'T'; }

}  // namespace

std::string to_text(const TrialSpec& spec) {
  return fmt::format("op={}{} m={} n={} k={} alpha={} beta={} ld=rows+{}", letter(spec.op_a), letter(spec.op_b), spec.m,
                     spec.n, spec.k, spec.alpha, spec.beta, spec.extra_ld);
}

Verdict run_trial(const TrialSpec& spec, const RungKernel& kernel, Place& place) {
  const Operands before = draw(spec);
  Matrix after = before.c;
  const GemmProblem problem = problem_of(spec, before);
  if (!is_noop(problem)) {
    Verdict failed;
    failed.complaint = place.run(kernel, problem, {before.a.buffer, before.b.buffer, after.buffer, guard});
    if (!failed.complaint.empty()) return failed;
  }
  Verdict verdict = judge(spec, before, after);
  if (!only_elements_changed(before.c, after)) verdict.complaint = "wrote outside the elements of C";
  return verdict;
}

}  // namespace ladder::cli
