// SPDX-License-Identifier: MIT
#include "accuracy.hpp"

#include <fmt/format.h>

#include <cmath>

#include "csv_file.hpp"
#include "op_letter.hpp"

namespace ladder::bench {

namespace {

std::string figure_text(const AccuracyRow& row, double ErrorFigures::*figure) {
  return row.errors ? fmt::format("{:.5g}", (*row.errors).*figure) : std::string();
}

}  // namespace

bool is_right(const AccuracyRow& row) {
  return row.verdict == verdict_right && row.errors && !std::isnan(row.errors->relative_l2) &&
         !std::isnan(row.errors->worst) && (!row.bound || row.errors->worst_of_largest <= *row.bound);
}

std::string accuracy_csv(const AccuracyResults& results) {
  std::string text = csv_conditions(results.conditions);
  text +=
      "category,op_a,op_b,m,n,k,lda,ldb,ldc,batch,rung,name,precision,sums,data,relative_l2,worst_of_magnitude,"
      "worst_of_largest,bound_of_largest,checksum,verdict\n";
  for (const AccuracyRow& row : results.rows) {
    const BenchProblem& p = row.problem;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},", csv_cell(p.category), op_letter(p.op_a), op_letter(p.op_b),
                        p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.batch);
    text += fmt::format("{},{},{},{},{},", csv_cell(row.rung), csv_cell(row.name), csv_cell(row.precision), row.sums,
                        row.data);
    text += fmt::format("{},{},{},", figure_text(row, &ErrorFigures::relative_l2),
                        figure_text(row, &ErrorFigures::worst), figure_text(row, &ErrorFigures::worst_of_largest));
    text +=
        fmt::format("{},{},{}\n", row.bound ? fmt::format("{:.5g}", *row.bound) : std::string(),
                    row.errors ? fmt::format("{:016x}", row.errors->checksum) : std::string(), csv_cell(row.verdict));
  }
  return text;
}

}  // namespace ladder::bench
