// SPDX-License-Identifier: MIT
#include "bench_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "op_letter.hpp"

namespace ladder::bench {

namespace {

struct Stored {
  std::int64_t rows;
  std::int64_t columns;
};

Stored stored(Op op, std::int64_t rows, std::int64_t columns) {
  return op == Op::none ? Stored{rows, columns} : Stored{columns, rows};
}

Stored stored_a(const BenchProblem& p) { return stored(p.op_a, p.m, p.k); }
Stored stored_b(const BenchProblem& p) { return stored(p.op_b, p.k, p.n); }
Stored stored_c(const BenchProblem& p) { return {p.m, p.n}; }

std::int64_t smallest_ld(const Stored& matrix) { return std::max<std::int64_t>(1, matrix.rows); }

// A quarter of what 64 bits can count, so that three matrices and what is between them can be added up.
bool addressable(std::int64_t ld, std::int64_t columns, std::int64_t batch) {
  constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max() / 4;
  std::int64_t elements = 0, bytes = 0;
  return !__builtin_mul_overflow(ld, columns, &elements) && !__builtin_mul_overflow(elements, batch, &elements) &&
         !__builtin_mul_overflow(elements, std::int64_t{sizeof(float)}, &bytes) && bytes <= most_bytes;
}

}  // namespace

BenchProblem with_leading_dimensions(BenchProblem p) {
  if (p.lda == 0) p.lda = smallest_ld(stored_a(p));
  if (p.ldb == 0) p.ldb = smallest_ld(stored_b(p));
  if (p.ldc == 0) p.ldc = smallest_ld(stored_c(p));
  return p;
}

std::string what_is_illegal(const BenchProblem& p) {
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.batch < 1) return "m, n, k and batch must be at least 1";
  struct Matrix {
    char name;
    std::int64_t ld;
    Stored stored;
  };
  for (const Matrix& x :
       {Matrix{'a', p.lda, stored_a(p)}, Matrix{'b', p.ldb, stored_b(p)}, Matrix{'c', p.ldc, stored_c(p)}}) {
    if (x.ld < smallest_ld(x.stored))
      return fmt::format("ld{} is {}, but the matrix has {} rows", x.name, x.ld, x.stored.rows);
    if (!addressable(x.ld, x.stored.columns, p.batch))
      return fmt::format("the matrices {} have more bytes than any memory", x.name);
  }
  return {};
}

std::int64_t stride_a(const BenchProblem& p) { return p.lda * stored_a(p).columns; }
std::int64_t stride_b(const BenchProblem& p) { return p.ldb * stored_b(p).columns; }
std::int64_t stride_c(const BenchProblem& p) { return p.ldc * stored_c(p).columns; }

double flops(const BenchProblem& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) *
         static_cast<double>(p.batch);
}

double compulsory_bytes(const BenchProblem& p) {
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  return (m * k + k * n + m * n) * static_cast<double>(p.batch) * sizeof(float);
}

std::string to_text(const BenchProblem& p) {
  std::string text = p.category.empty() ? "" : p.category + " ";
  text += fmt::format("{}{} {}x{}x{}", op_letter(p.op_a), op_letter(p.op_b), p.m, p.n, p.k);
  const auto plain = [](std::int64_t ld, const Stored& matrix) { return ld == 0 || ld == smallest_ld(matrix); };
  if (!plain(p.lda, stored_a(p)) || !plain(p.ldb, stored_b(p)) || !plain(p.ldc, stored_c(p)))
    text += fmt::format(" ld {},{},{}", p.lda, p.ldb, p.ldc);
  if (p.batch != 1) text += fmt::format(" *{}", p.batch);
  return text;
}

}  // namespace ladder::bench
