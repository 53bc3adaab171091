// SPDX-License-Identifier: MIT
// Errors against float64: from sums to figures, and the file that keeps them.
#include "bench/accuracy.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>

#include "bench/judgement.hpp"

using namespace ladder;
using namespace ladder::bench;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

AccuracyRow row_of(std::optional<ErrorFigures> errors, std::string verdict) {
  AccuracyRow row;
  row.problem = with_leading_dimensions({.category = "tall", .op_a = Op::transpose, .m = 2, .n = 3, .k = 4});
  row.rung = std::string("9");
  row.name = "double_buffered";
  row.precision = "fp32";
  row.sums = plain_sums_name;
  row.data = "graded";
  row.errors = errors;
  row.verdict = std::move(verdict);
  return row;
}

}  // namespace

TEST_CASE("figures are of all parts together") {
  const std::array parts = {ErrorSums{9.0, 60.0, 0.5, 0.125, 7}, ErrorSums{16.0, 40.0, 0.25, 0.25, 8}};
  const ErrorFigures figures = figures_of(parts);
  CHECK(figures.relative_l2 == doctest::Approx(0.5));
  CHECK(figures.worst == 0.5);
  CHECK(figures.worst_of_largest == 0.25);
  CHECK(figures.checksum == 15);
}

TEST_CASE("no error is 0, whatever the result; a NaN stays one") {
  CHECK(figures_of({}).relative_l2 == 0.0);
  CHECK(figures_of(std::array{ErrorSums{0.0, 0.0, 0.0, 0.0, 3}}).relative_l2 == 0.0);
  CHECK(figures_of(std::array{ErrorSums{0.0, 0.0, 0.0, 0.0, 3}}).checksum == 3);
  const std::array with_nan = {ErrorSums{1.0, 1.0, 0.5, 0.5, 3}, ErrorSums{not_a_number, 1.0, 0.0, 0.0, 4}};
  CHECK(std::isnan(figures_of(with_nan).relative_l2));
  CHECK(std::isnan(figures_of(with_nan).worst));
  CHECK(std::isnan(figures_of(with_nan).worst_of_largest));
}

TEST_CASE("a row is right where it says so and has both figures") {
  CHECK(is_right(row_of(ErrorFigures{1e-7, 2e-7, 3e-8, 0xabc}, "right")));
  CHECK_FALSE(is_right(row_of(ErrorFigures{1e-7, 2e-7, 3e-8, 0xabc}, "C(0, 0) is 1, not 2")));
  CHECK_FALSE(is_right(row_of(std::nullopt, "right")));
  CHECK_FALSE(is_right(row_of(ErrorFigures{not_a_number, not_a_number, not_a_number, 1}, "right")));
}

TEST_CASE("a row is right only within the bound that is stated for it") {
  AccuracyRow row = row_of(ErrorFigures{1e-7, 2e-7, 3e-8, 1}, "right");
  row.bound = 3e-8;
  CHECK(is_right(row));
  row.bound = 2.9e-8;
  CHECK_FALSE(is_right(row));
  CHECK(stated_bound_of_fp16x3(64) == 59 * 0x1p-24);
  CHECK(stated_bound_of_fp16x3(65536) == (58 + 1024) * 0x1p-24);
}

TEST_CASE("the file has a line a row, below the conditions") {
  const AccuracyResults results{
      {{"GPU", "a card"}},
      {row_of(ErrorFigures{1.25e-7, 2e-7, 3e-8, 0xabc}, "right"), row_of(std::nullopt, "failed: a, b")}};
  const std::string csv = accuracy_csv(results);
  CHECK(csv.starts_with("# GPU: a card\ncategory,op_a,op_b,m,n,k,"));
  CHECK(csv.find("tall,T,N,2,3,4,4,4,2,1,9,double_buffered,fp32,plain,graded,1.25e-07,2e-07,3e-08,,0000000000000abc,"
                 "right\n") != std::string::npos);
  CHECK(csv.ends_with("plain,graded,,,,,,\"failed: a, b\"\n"));
}
