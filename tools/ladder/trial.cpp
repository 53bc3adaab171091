// SPDX-License-Identifier: MIT
#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/matrix.hpp"
#include "support/oracle.hpp"

namespace ladder::cli {

namespace {

using test::Expected;
using test::Matrix;

constexpr std::int64_t most_products = 2'000'000'000;  // that float64 does again for one trial: some seconds

Matrix stored(std::int64_t rows, std::int64_t columns, Op op, const TrialSpec& spec) {
  if (op == Op::transpose) std::swap(rows, columns);
  return {rows, columns, std::max<std::int64_t>(1, rows) + spec.extra_ld, spec.shift};
}

struct Operands {
  Matrix a, b, c;

  explicit Operands(const TrialSpec& spec)
      : a(stored(spec.m, spec.k, spec.op_a, spec)),
        b(stored(spec.k, spec.n, spec.op_b, spec)),
        c(stored(spec.m, spec.n, Op::none, spec)) {
    constexpr std::uint32_t matrices = 3;
    a.fill_randomly(matrices * spec.seed);
    b.fill_randomly(matrices * spec.seed + 1);
    c.fill_randomly(matrices * spec.seed + 2);
    // beta = 0 must not read C.
    if (spec.beta == 0.0f) c.fill(std::numeric_limits<float>::quiet_NaN());
  }
};

GemmProblem problem_of(const TrialSpec& spec, const Operands& x, Matrix& result) {
  return {.op_a = spec.op_a,
          .op_b = spec.op_b,
          .m = spec.m,
          .n = spec.n,
          .k = spec.k,
          .alpha = {nullptr, spec.alpha},
          .a = x.a.data(),
          .lda = x.a.ld(),
          .b = x.b.data(),
          .ldb = x.b.ld(),
          .beta = {nullptr, spec.beta},
          .c = result.data(),
          .ldc = result.ld()};
}

/// The problem that gives columns `first` ... `first + count - 1` of C.
GemmProblem columns_of(GemmProblem problem, std::int64_t first, std::int64_t count) {
  problem.n = count;
  problem.b += problem.op_b == Op::none ? first * problem.ldb : first;
  problem.c += first * problem.ldc;
  return problem;
}

void judge_columns(const GemmProblem& before, const Matrix& after, std::int64_t first, std::int64_t count,
                   Verdict& verdict) {
  const std::vector<Expected> expected = test::expected_result(columns_of(before, first, count));
  for (std::size_t at = 0; at < expected.size(); ++at) {
    const Expected& due = expected[at];
    const std::int64_t i = static_cast<std::int64_t>(at) % before.m;
    const std::int64_t j = first + static_cast<std::int64_t>(at) / before.m;
    const float got = after.at(i, j);
    const double error = std::abs(got - due.value);
    if (!test::agrees(got, due) && verdict.complaint.empty()) {
      verdict.complaint =
          fmt::format("C({}, {}) is {:.9g}, wanted {:.9g} within {:.2g}", i, j, got, due.value, due.bound);
    }
    verdict.worst_error = std::fmax(verdict.worst_error, error);
    verdict.worst_share = std::fmax(verdict.worst_share, error / due.bound);
  }
  verdict.elements += static_cast<std::int64_t>(expected.size());
}

// All columns, or as many of the first and of the last as there is time for.
void judge(const GemmProblem& before, const Matrix& after, Verdict& verdict) {
  const std::int64_t column_work = std::max<std::int64_t>(1, before.m * before.k);
  const std::int64_t affordable = std::max<std::int64_t>(2, most_products / column_work);
  if (before.n <= affordable) {
    judge_columns(before, after, 0, before.n, verdict);
  } else {
    judge_columns(before, after, 0, affordable / 2, verdict);
    judge_columns(before, after, before.n - affordable / 2, affordable / 2, verdict);
  }
}

char letter(Op op) { return op == Op::none ? 'N' : 'T'; }

}  // namespace

std::string to_text(const TrialSpec& spec) {
  return fmt::format("op={}{} m={} n={} k={} alpha={} beta={} ld=rows+{} shift={}", letter(spec.op_a),
                     letter(spec.op_b), spec.m, spec.n, spec.k, spec.alpha, spec.beta, spec.extra_ld, spec.shift);
}

Verdict run_trial(const TrialSpec& spec, const RungKernel& kernel, Place& place) {
  Operands operands(spec);
  Matrix result = operands.c;
  const GemmProblem problem = problem_of(spec, operands, result);
  Verdict verdict;
  if (!is_noop(problem)) verdict.complaint = place.run(kernel, problem);
  if (!verdict.complaint.empty()) return verdict;
  if (!result.canaries_live()) verdict.complaint = "wrote between the columns of C, or beside it";
  judge(problem_of(spec, operands, operands.c), result, verdict);
  return verdict;
}

}  // namespace ladder::cli
