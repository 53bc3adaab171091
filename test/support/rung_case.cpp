// SPDX-License-Identifier: MIT
#include "rung_case.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <ostream>
#include <string>
#include <string_view>

#include "oracle.hpp"

namespace ladder::test {

namespace {

std::int64_t ld_of(std::int64_t rows, Lines lines) {
  constexpr std::int64_t quad = 4;
  const std::int64_t smallest = std::max<std::int64_t>(1, rows);
  switch (lines) {
    case Lines::quads:
      return (smallest / quad + 1) * quad;
    case Lines::odd:
      return smallest + 1 + smallest % 2;
    case Lines::tight:
      break;
  }
  return smallest;
}

/// Everything of a case's problem but addresses and scalars by address.
GemmProblem shape_of(const Case& c) {
  GemmProblem p;
  p.op_a = c.op_a;
  p.op_b = c.op_b;
  p.m = c.shape.m;
  p.n = c.shape.n;
  p.k = c.shape.k;
  p.alpha.value = c.alpha;
  p.lda = ld_of(c.op_a == Op::none ? p.m : p.k, c.lines);
  p.ldb = ld_of(c.op_b == Op::none ? p.k : p.n, c.lines);
  p.beta.value = c.beta;
  p.ldc = ld_of(p.m, c.lines);
  return p;
}

// An address where any access faults.
const float* unreadable() {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  static void* const memory = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  return static_cast<const float*>(memory);
}

/// Of a rung or of one of its configurations.
template <class Kernel>
LaunchStatus launch(const Kernel& kernel, const Operands& operands, Matrix& result) {
  const Matrix::Armed armed_a(operands.a);
  const Matrix::Armed armed_b(operands.b);
  const Matrix::Armed armed_c(result);
  return kernel.launch(operands.problem(result), nullptr);
}

void check_elements(const Matrix& result, const Matrix& of_rung_1, const std::vector<Expected>& expected) {
  std::int64_t wrong = 0;
  std::int64_t different = 0;
  for (std::int64_t j = 0; j < result.columns(); ++j) {
    for (std::int64_t i = 0; i < result.rows(); ++i) {
      const Expected& due = expected[static_cast<std::size_t>(i + j * result.rows())];
      if (!agrees(result.at(i, j), due) && wrong++ == 0) {
        MESSAGE("C(", i, ", ", j, ") = ", result.at(i, j), ", due ", due.value, " +- ", due.bound);
      }
      if (!same_value(result.at(i, j), of_rung_1.at(i, j)) && different++ == 0) {
        MESSAGE("C(", i, ", ", j, ") = ", result.at(i, j), ", rung 1 has ", of_rung_1.at(i, j));
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(different == 0);
}

}  // namespace

std::string describe(const std::string& kernel, const Case& c) {
  const auto letter = [](Op op) { return op == Op::none ? 'N' : 'T'; };
  return kernel + " op=" + letter(c.op_a) + letter(c.op_b) + " m=" + std::to_string(c.shape.m) +
         " n=" + std::to_string(c.shape.n) + " k=" + std::to_string(c.shape.k) + " alpha=" + std::to_string(c.alpha) +
         " beta=" + std::to_string(c.beta) + " lines=" + std::to_string(static_cast<int>(c.lines)) +
         " shift=" + std::to_string(c.shift) + (c.scalars_by_address ? " scalars by address" : "");
}

bool same_value(float left, float right) {
  return bits_of(left) == bits_of(right) || (std::isnan(left) && std::isnan(right));
}

Operands::Operands(const Case& c) : ProductMatrices(shape_of(c), c.shift, c.seed), how(c) {}

GemmProblem Operands::problem(Matrix& result) const {
  GemmProblem p = ProductMatrices::problem(shape_of(how), result);
  if (how.scalars_by_address) {
    // Their values must not be taken instead.
    const float unused = std::numeric_limits<float>::quiet_NaN();
    p.alpha = {&how.alpha, unused};
    p.beta = {&how.beta, unused};
  }
  if (how.inputs_unreadable) p.a = p.b = unreadable();
  return p;
}

Effort effort() {
  const char* set = std::getenv("LADDER_TEST_SET");
  if (set == nullptr || std::string_view(set) == "full") return Effort::full;
  REQUIRE((std::string_view(set) == "small" || std::string_view(set) == "tiny"));
  return std::string_view(set) == "small" ? Effort::small : Effort::tiny;
}

std::vector<const Rung*> chosen_rungs() {
  const char* name = std::getenv("LADDER_TEST_RUNG");
  if (name != nullptr) {
    const Rung* rung = find_rung(name);
    REQUIRE(rung != nullptr);
    REQUIRE(rung->emulated != nullptr);
    return {rung};
  }
  std::vector<const Rung*> all;
  for (const Rung& rung : rungs()) {
    if (rung.emulated != nullptr) all.push_back(&rung);
  }
  return all;
}

void check_operands(const Rung& rung, const Operands& operands) {
  const std::string text = describe(rung.id, operands.how);
  INFO(text);
  const Operands before = operands;
  Matrix result = operands.c;
  const GemmProblem problem = operands.problem(result);
  REQUIRE(first_illegal_argument(problem) == GemmArgument::none);
  if (is_noop(problem)) return;
  const std::vector<Expected> expected = expected_result(problem);

  REQUIRE(launch(*rung.emulated, operands, result) == launch_ok);
  Matrix of_rung_1 = effort() == Effort::tiny ? result : operands.c;
  if (effort() != Effort::tiny) REQUIRE(launch(*find_rung("naive")->emulated, operands, of_rung_1) == launch_ok);

  check_elements(result, of_rung_1, expected);
  CHECK(result.canaries_live());
  for (const KernelConfig& config : rung.emulated->configs) {
    INFO(config.name);
    Matrix of_config = operands.c;
    REQUIRE(launch(config, operands, of_config) == launch_ok);
    check_elements(of_config, result, expected);
    CHECK(of_config.canaries_live());
  }
  if (operands.how.beta == 1.0f && (operands.how.alpha == 0.0f || problem.k == 0)) CHECK(result.same_bits(operands.c));
  CHECK(operands.a.same_bits(before.a));
  CHECK(operands.b.same_bits(before.b));
}

}  // namespace ladder::test
