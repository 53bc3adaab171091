// SPDX-License-Identifier: MIT
#include "large_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace ladder::test {

namespace {

using Vector = std::vector<double>;

constexpr std::int64_t most_random = 1 << 15;  // of an element of v
constexpr std::int64_t rows_of_sample = 64;
constexpr std::int64_t columns_of_sample = 512;  // of each of these rows

double& element(Vector& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; }
double element(const Vector& x, std::int64_t i) { return x[static_cast<std::size_t>(i)]; }

/// M x, each thread on rows of its own.
Vector times(const LargeMatrix& matrix, const Vector& x) {
  Vector y(static_cast<std::size_t>(matrix.rows()), 0.0);
  in_pieces(matrix.rows(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = 0; j < matrix.columns(); ++j) {
      const double factor = element(x, j);
      for (std::int64_t i = begin; i < end; ++i) element(y, i) += static_cast<double>(matrix.at(i, j)) * factor;
    }
  });
  return y;
}

/// M^T x, each thread on columns of its own.
Vector transposed_times(const LargeMatrix& matrix, const Vector& x) {
  Vector y(static_cast<std::size_t>(matrix.columns()), 0.0);
  in_pieces(matrix.columns(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      double sum = 0.0;
      for (std::int64_t i = 0; i < matrix.rows(); ++i) sum += static_cast<double>(matrix.at(i, j)) * element(x, i);
      element(y, j) = sum;
    }
  });
  return y;
}

Vector op_times(char op, const LargeMatrix& matrix, const Vector& x) {
  return op == 'N' ? times(matrix, x) : transposed_times(matrix, x);
}

/// The largest integer that v may hold; 0 where sums would not be exact.
std::int64_t largest_of_v(const LargeProduct& p) {
  constexpr std::int64_t exact_in_fp32 = std::int64_t{1} << 24;
  constexpr std::int64_t exact_in_float64 = std::int64_t{1} << 53;
  const std::int64_t of_c = std::int64_t{largest_integer} * largest_integer * p.k;
  if (of_c > exact_in_fp32) return 0;
  return std::min(most_random, exact_in_float64 / of_c / p.n);
}

Vector random_integers(std::uint64_t seed, std::int64_t count, std::int64_t largest) {
  Vector v(static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < count; ++j) {
    const auto random = static_cast<std::int64_t>(mixed(seed ^ static_cast<std::uint64_t>(j)) >> 1);
    element(v, j) = static_cast<double>(random % (2 * largest + 1) - largest);
  }
  return v;
}

/// So many of 0 ... limit - 1, all of them where there are no more.
std::vector<std::int64_t> sample(std::uint64_t seed, std::int64_t count, std::int64_t limit) {
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(std::min(count, limit)));
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = limit <= count ? static_cast<std::int64_t>(i)
                               : static_cast<std::int64_t>(mixed(seed ^ i) % static_cast<std::uint64_t>(limit));
  return chosen;
}

/// Wherever k is cut, a product goes through its piece's sums and through one for each later piece, which are no more
/// than k; alpha, beta and their sum are the others.
double gamma_of(std::int64_t k) {
  const double product = static_cast<double>(k + 4) * 0x1p-24;
  return product / (1.0 - product);
}

double error_of_bound(const LargeProduct& p, float alpha, float beta, const Vector& row, std::int64_t i,
                      std::int64_t j) {
  double sum = 0.0;
  double magnitude = 0.0;
  for (std::int64_t l = 0; l < p.k; ++l) {
    const double term = element(row, l) * static_cast<double>(p.op_b == 'N' ? p.b.at(l, j) : p.b.at(j, l));
    sum += term;
    magnitude += std::fabs(term);
  }
  const double before = beta == 0.0f ? 0.0 : static_cast<double>(beta) * static_cast<double>(p.c.filled(i, j));
  const double error = std::fabs(static_cast<double>(alpha) * sum + before - static_cast<double>(p.c.at(i, j)));
  const double bound = gamma_of(p.k) * (std::fabs(static_cast<double>(alpha)) * magnitude + std::fabs(before));
  return error <= bound ? error / bound : std::numeric_limits<double>::infinity();
}

}  // namespace

bool integers_are_exact(const LargeProduct& product) { return largest_of_v(product) > 0; }

bool integers_are_right(const LargeProduct& p) {
  for (const std::uint64_t seed : {1u, 2u}) {
    const Vector v = random_integers(mixed(seed), p.n, largest_of_v(p));
    if (times(p.c, v) != op_times(p.op_a, p.a, op_times(p.op_b, p.b, v))) return false;
  }
  return true;
}

double worst_of_sample(const LargeProduct& p, float alpha, float beta) {
  const std::vector<std::int64_t> rows = sample(mixed(3), rows_of_sample, p.m);
  std::vector<double> worst(rows.size(), 0.0);
  in_pieces(static_cast<std::int64_t>(rows.size()), [&](std::int64_t begin, std::int64_t end) {
    Vector row(static_cast<std::size_t>(p.k));
    for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
      const std::int64_t i = rows[r];
      for (std::int64_t l = 0; l < p.k; ++l)
        element(row, l) = static_cast<double>(p.op_a == 'N' ? p.a.at(i, l) : p.a.at(l, i));
      for (const std::int64_t j : sample(mixed(4 + r), columns_of_sample, p.n))
        worst[r] = std::max(worst[r], error_of_bound(p, alpha, beta, row, i, j));
    }
  });
  return *std::max_element(worst.begin(), worst.end());
}

}  // namespace ladder::test
