// SPDX-License-Identifier: MIT
#include "trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

void shape_values(Values values, test::ProductMatrices& matrices, const GemmProblem& shape) {
  constexpr float huge_a = 0x1p60f;
  constexpr float huge_b = 0x1p45f;
  constexpr float small = 0x1p-30f;
  constexpr std::int64_t small_every = 8;
  const auto each = [&shape](test::Matrix& matrix, Op op, std::int64_t lines, auto change) {
    for (std::int64_t line = 0; line < lines; ++line) {
      for (std::int64_t l = 0; l < shape.k; ++l) change(op == Op::none ? matrix.at(line, l) : matrix.at(l, line), l);
    }
  };
  const Op down_columns = shape.op_b == Op::none ? Op::transpose : Op::none;  // a column of op(B) is a line of k
  const auto change_both = [&](auto change_a, auto change_b) {
    each(matrices.a, shape.op_a, shape.m, change_a);
    each(matrices.b, down_columns, shape.n, change_b);
  };
  const auto grade = [](float& element, std::int64_t l) {
    if (l % small_every == small_every - 1) element *= small;
  };
  switch (values) {
    case Values::ordinary:
      return;
    case Values::graded:
      return change_both(grade, grade);
    case Values::huge:
      return change_both([](float& element, std::int64_t) { element *= huge_a; },
                         [](float& element, std::int64_t) { element *= huge_b; });
    case Values::not_finite:
      matrices.a.at(0, 0) = std::numeric_limits<float>::infinity();
      matrices.b.at(0, 0) = std::numeric_limits<float>::quiet_NaN();
      return;
  }
}

/// In which precision a rung that takes care of its range has such values done.
Precision precision_of(Precision rungs, Values values) {
  if (values == Values::ordinary || !is_as_good_as_fp32(rungs)) return rungs;
  if (values != Values::graded) return Precision::fp32;
  return rungs == Precision::fp16x3 ? Precision::bf16x6 : rungs;
}

void judge_columns(const GemmProblem& before, const Matrix& after, Precision precision, std::int64_t first,
                   std::int64_t count, Verdict& verdict) {
  const std::vector<Expected> expected = test::expected_result(columns_of(before, first, count), precision);
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
void judge(const GemmProblem& before, const Matrix& after, Precision precision, Verdict& verdict) {
  const std::int64_t column_work = std::max<std::int64_t>(1, before.m * before.k);
  const std::int64_t affordable = std::max<std::int64_t>(2, most_products / column_work);
  if (before.n <= affordable) {
    judge_columns(before, after, precision, 0, before.n, verdict);
  } else {
    judge_columns(before, after, precision, 0, affordable / 2, verdict);
    judge_columns(before, after, precision, before.n - affordable / 2, affordable / 2, verdict);
  }
}

}  // namespace

const char* values_name(Values values) {
  constexpr const char* names[] = {"ordinary", "graded", "huge", "not_finite"};
  return names[static_cast<int>(values)];
}

std::string to_text(const TrialSpec& spec) {
  return fmt::format("op={}{} m={} n={} k={} alpha={} beta={} ld=rows+{} shift={} values={}", op_letter(spec.op_a),
                     op_letter(spec.op_b), spec.m, spec.n, spec.k, spec.alpha, spec.beta, spec.extra_ld, spec.shift,
                     values_name(spec.values));
}

Verdict run_trial(const TrialSpec& spec, Precision precision, const RungKernel& kernel, Place& place) {
  const GemmProblem shape = shape_of(spec);
  test::ProductMatrices matrices(shape, spec.shift, spec.seed);
  shape_values(spec.values, matrices, shape);
  Matrix result = matrices.c;
  const GemmProblem problem = matrices.problem(shape, result);
  Verdict verdict;
  if (kernel.declines != nullptr) verdict.declined = kernel.declines(problem);
  if (verdict.declined != nullptr) return verdict;
  if (!is_noop(problem)) verdict.complaint = place.run(kernel, problem);
  if (!verdict.complaint.empty()) return verdict;
  if (!result.canaries_live()) verdict.complaint = "wrote between the columns of C, or beside it";
  judge(matrices.problem(shape, matrices.c), result, precision_of(precision, spec.values), verdict);
  return verdict;
}

}  // namespace ladder::cli
