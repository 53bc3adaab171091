// SPDX-License-Identifier: MIT
#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "op_letter.hpp"
#include "support/oracle.hpp"
#include "support/product_matrices.hpp"

namespace ladder::cli {

namespace {

using test::Expected;
using test::Matrix;

constexpr std::int64_t most_products = 2'000'000'000;  // that float64 does again for one trial: some seconds

/// The problem without the addresses of its matrices.
GemmProblem shape_of(const TrialSpec& spec) {
  const auto ld = [&spec](std::int64_t rows) { return std::max<std::int64_t>(1, rows) + spec.extra_ld; };
  return {{.op_a = spec.op_a,
           .op_b = spec.op_b,
           .m = spec.m,
           .n = spec.n,
           .k = spec.k,
           .alpha = {nullptr, spec.alpha},
           .lda = ld(spec.op_a == Op::none ? spec.m : spec.k),
           .ldb = ld(spec.op_b == Op::none ? spec.k : spec.n),
           .beta = {nullptr, spec.beta},
           .ldc = ld(spec.m)},
          {},
          {}};
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

}  // namespace

std::string to_text(const TrialSpec& spec) {
  return fmt::format("op={}{} m={} n={} k={} alpha={} beta={} ld=rows+{} shift={}", op_letter(spec.op_a),
                     op_letter(spec.op_b), spec.m, spec.n, spec.k, spec.alpha, spec.beta, spec.extra_ld, spec.shift);
}

Verdict run_trial(const TrialSpec& spec, const RungKernel& kernel, Place& place) {
  const GemmProblem shape = shape_of(spec);
  test::ProductMatrices matrices(shape, spec.shift, spec.seed);
  Matrix result = matrices.c;
  const GemmProblem problem = matrices.problem(shape, result);
  Verdict verdict;
  if (!is_noop(problem)) verdict.complaint = place.run(kernel, problem);
  if (!verdict.complaint.empty()) return verdict;
  if (!result.canaries_live()) verdict.complaint = "wrote between the columns of C, or beside it";
  judge(matrices.problem(shape, matrices.c), result, verdict);
  return verdict;
}

}  // namespace ladder::cli
