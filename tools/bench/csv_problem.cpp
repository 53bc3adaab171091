// SPDX-License-Identifier: MIT
#include "csv_problem.hpp"

#include <fmt/format.h>

namespace ladder::bench {

namespace {

Op op_from(CsvCells& cells, std::string_view column) {
  const std::string text = cells.text(column);
  const std::optional<Op> op = op_from_letter(text);
  if (!op) cells.complain(fmt::format("{} is '{}', neither N nor T", column, text));
  return op.value_or(Op::none);
}

}  // namespace

std::optional<Op> op_from_letter(std::string_view letter) {
  if (letter == "N" || letter == "n") return Op::none;
  if (letter == "T" || letter == "t" || letter == "C" || letter == "c") return Op::transpose;
  return std::nullopt;
}

BenchProblem problem_from(CsvCells& cells) {
  BenchProblem problem;
  problem.category = cells.text("category");
  problem.op_a = op_from(cells, "op_a");
  problem.op_b = op_from(cells, "op_b");
  problem.m = cells.integer("m", 0);
  problem.n = cells.integer("n", 0);
  problem.k = cells.integer("k", 0);
  problem.lda = cells.integer("lda", 0);
  problem.ldb = cells.integer("ldb", 0);
  problem.ldc = cells.integer("ldc", 0);
  problem.batch = cells.integer("batch", 1);
  problem = with_leading_dimensions(problem);
  if (const std::string wrong = what_is_illegal(problem); !wrong.empty()) cells.complain(wrong);
  return problem;
}

}  // namespace ladder::bench
