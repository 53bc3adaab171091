// SPDX-License-Identifier: MIT
#include "gpu_reference.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

namespace ladder::test {

namespace {

bool is_right(float result, const Expected& due) {
  constexpr double largest = std::numeric_limits<float>::max();
  constexpr double halfway_to_infinity = largest * (1.0 + 0x1p-25);
  if (!(std::fabs(due.value) > halfway_to_infinity)) return agrees(result, due);
  return std::isinf(result) && std::signbit(result) == std::signbit(due.value);
}

Matrix result_on_gpu(const Kernel& kernel, const Operands& operands) {
  Matrix result = operands.c;
  REQUIRE(run_on_gpu(kernel.launch(), operands.problem(result)) == "");
  CHECK(result.canaries_live());
  return result;
}

void check_order_of_sums(const Kernel& kernel, const Matrix& result, const Reference& reference) {
  Matrix unused = reference.operands.c;
  const GemmProblem problem = reference.operands.problem(unused);
  const Sums sums = kernel.sums_for(problem);
  if (sums == Sums::by_k || reference.operands.how.exact) {
    CHECK(different_elements(result, reference.by_k()) == 0);
  } else if (sums == Sums::by_slab) {
    CHECK(different_elements(result, result_on_gpu(kernel, reference.operands)) == 0);
  } else if (emulator_is_alike()) {
    Matrix emulated = reference.operands.c;
    REQUIRE(kernel.emulated_for(problem)(reference.operands.problem(emulated), nullptr) == launch_ok);
    CHECK(different_elements(result, emulated) == 0);
  }
  if (kernel.sums() != Sums::as_asked) return;
  const Matrix& by_k = reference.by_k();  // which takes the wish back
  const PlainSums asked;
  INFO("in the order of k");
  CHECK(different_elements(result_on_gpu(kernel, reference.operands), by_k) == 0);
}

}  // namespace

bool Reference::is_noop() const {
  Matrix unused = operands.c;
  return ladder::is_noop(operands.problem(unused));
}

const std::vector<Expected>& Reference::expected(Precision precision) const {
  const auto known = expected_.find(precision);
  if (known != expected_.end()) return known->second;
  Matrix before = operands.c;
  return expected_[precision] = expected_result(operands.problem(before), precision);
}

const Matrix& Reference::by_k() const {
  if (!by_k_) {
    by_k_ = operands.c;
    const PlainSums asked;
    REQUIRE(default_rung().emulated->launch(operands.problem(*by_k_), nullptr) == launch_ok);
  }
  return *by_k_;
}

std::int64_t wrong_elements(const Matrix& result, const std::vector<Expected>& expected) {
  std::int64_t wrong = 0;
  for (std::int64_t j = 0; j < result.columns(); ++j) {
    for (std::int64_t i = 0; i < result.rows(); ++i) {
      const Expected& due = expected[static_cast<std::size_t>(i + j * result.rows())];
      if (!is_right(result.at(i, j), due) && wrong++ == 0) {
        MESSAGE("C(", i, ", ", j, ") = ", result.at(i, j), ", due ", due.value, " +- ", due.bound);
      }
    }
  }
  return wrong;
}

std::int64_t different_elements(const Matrix& left, const Matrix& right) {
  std::int64_t different = 0;
  for (std::int64_t j = 0; j < left.columns(); ++j) {
    for (std::int64_t i = 0; i < left.rows(); ++i) {
      if (!same_value(left.at(i, j), right.at(i, j)) && different++ == 0) {
        MESSAGE("C(", i, ", ", j, ") = ", left.at(i, j), " here and ", right.at(i, j), " there");
      }
    }
  }
  return different;
}

bool check_kernel(const Kernel& kernel, const Reference& reference) {
  Matrix before = reference.operands.c;
  const GemmProblem problem = reference.operands.problem(before);
  if (reference.is_noop() || !kernel.runs(problem)) return false;
  const std::string text = describe(kernel.name(), reference.operands.how);
  INFO(text);
  const Matrix result = result_on_gpu(kernel, reference.operands);
  CHECK(wrong_elements(result, reference.expected(kernel.precision())) == 0);
  // The two sides' exponential functions round differently.
  if (problem.activation == Activation::gelu) return true;
  check_order_of_sums(kernel, result, reference);
  return true;
}

}  // namespace ladder::test
