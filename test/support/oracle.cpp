// SPDX-License-Identifier: MIT
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "precision_bounds.hpp"

namespace ladder::test {

namespace {

constexpr double unit_roundoff_32 = 0x1p-24;
constexpr double unit_roundoff_64 = 0x1p-53;
constexpr double half_least_subnormal = 0x1p-150;

// op(A) as k rows of m, so that the inner loop below is contiguous.
std::vector<double> rows_of_op_a(const GemmProblem& p) {
  std::vector<double> rows(static_cast<std::size_t>(p.m * p.k));
  for (std::int64_t l = 0; l < p.k; ++l) {
    for (std::int64_t i = 0; i < p.m; ++i) {
      rows[static_cast<std::size_t>(l * p.m + i)] = p.op_a == Op::none ? p.a[i + l * p.lda] : p.a[l + i * p.lda];
    }
  }
  return rows;
}

struct Sums {
  std::vector<double> exact;
  std::vector<double> magnitude;
};

// Column j of op(A) op(B), and of |op(A)| |op(B)|.
void sum_column(const GemmProblem& p, const std::vector<double>& rows, std::int64_t j, Sums& sums) {
  std::fill(sums.exact.begin(), sums.exact.end(), 0.0);
  std::fill(sums.magnitude.begin(), sums.magnitude.end(), 0.0);
  for (std::int64_t l = 0; l < p.k; ++l) {
    const double b = p.op_b == Op::none ? p.b[l + j * p.ldb] : p.b[j + l * p.ldb];
    const double* a = rows.data() + l * p.m;
    for (std::size_t i = 0; i < sums.exact.size(); ++i) {
      const double product = a[i] * b;
      sums.exact[i] += product;
      sums.magnitude[i] += std::fabs(product);
    }
  }
}

double bound_of(double unit, double sum_error, double alpha, double sum, double value) {
  const double product_error = std::fabs(alpha) * sum_error + unit * std::fabs(alpha) * (std::fabs(sum) + sum_error);
  return product_error + unit * (std::fabs(value) + product_error);
}

double activated(Activation activation, double x) {
  constexpr double root_of_2_over_pi = 0.79788456080286535588;
  if (activation == Activation::relu) return x < 0.0 ? 0.0 : x;
  if (activation == Activation::gelu)
    return 0.5 * x * (1.0 + std::tanh(root_of_2_over_pi * (x + 0.044715 * x * x * x)));
  return x;
}

/// What a value at (i, j), known up to a bound, becomes in the rest of the epilogue.
Expected finished(const GemmProblem& p, std::int64_t i, std::int64_t j, Expected e) {
  constexpr double unit = unit_roundoff_32 + unit_roundoff_64;
  if (p.bias != nullptr) {
    e.value += p.bias[p.bias_by_column ? j : i];
    e.bound += unit * (std::fabs(e.value) + e.bound);
  }
  const double before = e.value;
  e.value = activated(p.activation, before);
  if (p.activation != Activation::gelu) return e;
  constexpr double steepest = 1.13;
  constexpr double exponent = 1.6;        // |x| + 0.045 |x|^3 times this is what goes into the exponential function
  constexpr double roundings = 5;         // on the way there
  constexpr double afterwards = 16;       // of the exponential function, the sum and the quotient
  constexpr double vanishing = 0x1p-100;  // quotients by more than 2^126 become 0
  const double power = exponent * (std::fabs(before) + 0.045 * std::fabs(before * before * before));
  e.bound = steepest * e.bound + unit * std::fabs(e.value) * (roundings * power + afterwards) + vanishing;
  return e;
}

}  // namespace

std::vector<Expected> expected_result(const GemmProblem& p, Precision precision) {
  const double alpha = p.alpha.device ? *p.alpha.device : p.alpha.value;
  const double beta = p.beta.device ? *p.beta.device : p.beta.value;
  GemmProblem multiplied = p;
  if (alpha == 0.0) multiplied.k = 0;
  const std::vector<double> rows = rows_of_op_a(multiplied);
  const SumBounds sum_bounds(p, multiplied.k, precision);
  const double gamma_64 = gamma(static_cast<double>(multiplied.k), unit_roundoff_64);
  Sums sums{std::vector<double>(static_cast<std::size_t>(p.m)), std::vector<double>(static_cast<std::size_t>(p.m))};
  std::vector<Expected> result;
  result.reserve(static_cast<std::size_t>(p.m * p.n));
  for (std::int64_t j = 0; j < p.n; ++j) {
    sum_column(multiplied, rows, j, sums);
    for (std::int64_t i = 0; i < p.m; ++i) {
      const double sum = sums.exact[static_cast<std::size_t>(i)];
      const double magnitude = sums.magnitude[static_cast<std::size_t>(i)];
      const double product = multiplied.k == 0 ? 0.0 : alpha * sum;
      const double old_c = p.old_c != nullptr ? p.old_c[i + j * p.ld_old_c] : p.c[i + j * p.ldc];
      const double value = beta == 0.0 ? product : product + beta * old_c;
      const double rounding = bound_of(unit_roundoff_32, sum_bounds.at(i, j, magnitude), alpha, sum, value) +
                              bound_of(unit_roundoff_64, gamma_64 * magnitude, alpha, sum, value);
      const double underflow =
          static_cast<double>(multiplied.k + 2) * half_least_subnormal * std::max(1.0, std::fabs(alpha));
      result.push_back(finished(p, i, j, {value, rounding + underflow}));
    }
  }
  return result;
}

bool agrees(float result, const Expected& expected) {
  if (std::isnan(expected.value)) return std::isnan(result);
  if (std::isinf(expected.value)) return result == static_cast<float>(expected.value);
  return std::fabs(static_cast<double>(result) - expected.value) <= expected.bound;
}

}  // namespace ladder::test
