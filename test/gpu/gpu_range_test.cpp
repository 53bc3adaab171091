// SPDX-License-Identifier: MIT
// Values that the tensor cores cannot multiply as they are: the device finds them, and another kernel does the problem.
#include <doctest/doctest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu_reference.hpp"

namespace ladder::test {

namespace {

constexpr Op ops[] = {Op::none, Op::transpose};
constexpr Shape some_tiles{521, 391, 709};  // several tiles of each kernel; ends inside a tile and a slab
constexpr Shape few_tiles{130, 129, 161};   // for compute-sanitizer

struct Position {
  std::int64_t row;
  std::int64_t k;
};

/// An element of op(A) by row and k, and one of op(B) by column and k.
float& element_a(Operands& operands, std::int64_t row, std::int64_t k) {
  return operands.how.op_a == Op::none ? operands.a.at(row, k) : operands.a.at(k, row);
}
float& element_b(Operands& operands, std::int64_t column, std::int64_t k) {
  return operands.how.op_b == Op::none ? operands.b.at(k, column) : operands.b.at(column, k);
}

template <class Change>
void for_each_element(Matrix& matrix, const Change& change) {
  for (std::int64_t j = 0; j < matrix.columns(); ++j) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) matrix.at(i, j) = change(matrix.at(i, j));
  }
}

/// `value` at one place of op(A), or of op(B), and what it is multiplied by: a half, 4, -4 and 0 in turn.
Operands with_value(const Case& how, bool in_a, const Position& at, float value) {
  constexpr float factors[] = {0.5f, 4.0f, -4.0f, 0.0f};
  Operands operands(how);
  (in_a ? element_a(operands, at.row, at.k) : element_b(operands, at.row, at.k)) = value;
  const std::int64_t partners = in_a ? how.shape.n : how.shape.m;
  for (std::int64_t i = 0; i < partners; ++i) {
    (in_a ? element_b(operands, i, at.k) : element_a(operands, i, at.k)) =
        factors[static_cast<std::size_t>(i) % std::size(factors)];
  }
  return operands;
}

/// Each factor times powers of two that are spread evenly up to `binades` to both sides of 1.
Operands with_wide_range(const Case& how, int binades) {
  Operands operands(how);
  std::mt19937 generator(how.seed);
  std::uniform_int_distribution<int> exponent(-binades, binades);
  const auto widen = [&](float value) { return std::ldexp(value, exponent(generator)); };
  for_each_element(operands.a, widen);
  for_each_element(operands.b, widen);
  return operands;
}

/// One element of op(A) that is far larger than the others of its row, but meets zeros: what is lost of the others
/// shows.
Operands with_large_element_that_does_not_count(const Case& how, const Position& at) {
  constexpr float large = 0x1p60f;
  Operands operands(how);
  element_a(operands, at.row, at.k) = large;
  for (std::int64_t j = 0; j < how.shape.n; ++j) element_b(operands, j, at.k) = 0.0f;
  return operands;
}

/// Factors times a power of two, a pair of powers a case.
Operands scaled(const Case& how, int exponent_a, int exponent_b) {
  Operands operands(how);
  for_each_element(operands.a, [&](float value) { return std::ldexp(value, exponent_a); });
  for_each_element(operands.b, [&](float value) { return std::ldexp(value, exponent_b); });
  return operands;
}

/// What such data has to be as good as: rung 12 hands it over to rung 11.
Precision after_handing_over(Precision precision) {
  return precision == Precision::fp16x3 ? Precision::bf16x6 : precision;
}

/// Like check_kernel(), for data that rung 12 leaves to rung 11.
void check_handed_over(const Kernel& kernel, const Reference& reference) {
  Matrix result = reference.operands.c;
  const GemmProblem problem = reference.operands.problem(result);
  if (!kernel.runs(problem)) return;
  const std::string text = describe(kernel.name(), reference.operands.how);
  INFO(text);
  REQUIRE(run_on_gpu(kernel.launch(), problem) == "");
  CHECK(wrong_elements(result, reference.expected(after_handing_over(kernel.precision()))) == 0);
  CHECK(result.canaries_live());
  if (reference.operands.how.exact) CHECK(different_elements(result, reference.by_k()) == 0);
}

/// For kernels of FP32's accuracy, which TF32 has not.
void check_all_but_tf32(const Reference& reference) {
  for (const Kernel& kernel : gpu_tensor_kernels()) {
    if (is_as_good_as_fp32(kernel.precision())) check_handed_over(kernel, reference);
  }
}

struct Placed {
  float value;
  Position at;
};

/// Each value in A, then in B, for all pairs of ops in turn.
void check_values(const Shape& shape, const std::vector<Placed>& values) {
  std::size_t turn = 0;
  for (const Placed& placed : values) {
    for (const bool in_a : {true, false}) {
      const Case how{.shape = shape, .op_a = ops[turn % 2], .op_b = ops[turn / 2 % 2], .lines = Lines::odd};
      const Reference reference(with_value(how, in_a, placed.at, placed.value));
      for (const Kernel& kernel : gpu_tensor_kernels()) check_handed_over(kernel, reference);
      ++turn;
    }
  }
}

constexpr float infinity = std::numeric_limits<float>::infinity();
const float quiet_nan = float_of(0x7fffffffu);      // rounding its bits up would make it -0
const float signaling_nan = float_of(0x7f800001u);  // cutting its bits off would make it infinite

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("every kernel on tensor cores serves what the tests of its values ask of it") {
    const Operands operands({.shape = {1100, 1000, 1003}});
    Matrix result = operands.c;
    for (const Kernel& kernel : gpu_tensor_kernels()) {
      // A tile of rung 9 that serves rung 10 as well is made for other problems.
      if (kernel.config() != nullptr && kernel.config()->sums != Sums::by_slab) continue;
      INFO(kernel.name());
      CHECK(kernel.runs(operands.problem(result)));
    }
  }

  TEST_CASE("infinities and NaN, wherever they are, come out of the tensor cores as IEEE says") {
    check_values(some_tiles,
                 {{infinity, {0, 0}}, {quiet_nan, {257, 64}}, {signaling_nan, {390, 708}}, {-infinity, {128, 31}}});
  }

  TEST_CASE("numbers near the largest overflow where FP32 does") {
    constexpr float largest = std::numeric_limits<float>::max();
    for (const bool in_a : {true, false}) {
      for (const Position& place : {Position{0, 199}, {130, 77}}) {
        const Case how{.shape = {260, 131, 200}, .op_a = ops[in_a ? 1 : 0], .op_b = Op::none};
        check_all_but_tf32(Reference(with_value(how, in_a, place, largest)));
      }
    }
  }

  TEST_CASE(
      "no power of two takes the tensor cores from FP32's results, down to the subnormals and up to the largest") {
    constexpr std::pair<int, int> exponents[] = {{-149, 0},   {0, -149},  {120, -149}, {-149, 120}, {100, -130},
                                                 {-60, -60},  {60, 50},   {-95, 90},   {-75, -74},  {-120, -29},
                                                 {112, -100}, {-126, 20}, {90, 24},    {110, 4}};
    for (const auto& [exponent_a, exponent_b] : exponents) {
      const Case how{.shape = some_tiles, .op_a = Op::transpose, .op_b = Op::none, .exact = true};
      check_all_but_tf32(Reference(scaled(how, exponent_a, exponent_b)));
    }
  }

  TEST_CASE("random subnormals are as good as FP32 makes them") {
    for (const auto& [exponent_a, exponent_b] : {std::pair{-130, 10}, {3, -135}, {-64, -66}}) {
      check_all_but_tf32(Reference(scaled({.shape = some_tiles, .op_b = Op::transpose}, exponent_a, exponent_b)));
    }
  }

  TEST_CASE("data that two planes of fp16 would lose are as good as FP32 makes them") {
    for (const Op op_a : ops) {
      for (const Op op_b : ops) {
        const Case how{.shape = some_tiles, .op_a = op_a, .op_b = op_b};
        for (const Position& place : {Position{0, 0}, {520, 708}, {255, 65}})
          check_all_but_tf32(Reference(with_large_element_that_does_not_count(how, place)));
        for (const int binades : {10, 30, 60}) check_all_but_tf32(Reference(with_wide_range(how, binades)));
      }
    }
    for (const int exponent : {-100, 95}) check_all_but_tf32(Reference(scaled({.shape = some_tiles}, exponent, 1)));
  }

  TEST_CASE("rows and columns of very different size are within rung 12's bound") {
    Operands operands({.shape = some_tiles});
    for (std::int64_t l = 0; l < some_tiles.k; ++l) {
      for (std::int64_t i = 0; i < some_tiles.m; ++i) element_a(operands, i, l) *= std::ldexp(1.0f, i % 81 - 40);
      for (std::int64_t j = 0; j < some_tiles.n; ++j) element_b(operands, j, l) *= std::ldexp(1.0f, 30 - j % 61);
    }
    const Reference reference(std::move(operands));
    for (const Kernel& kernel : gpu_tensor_kernels()) check_kernel(kernel, reference);
  }

  TEST_CASE("out of range, the rest of the epilogue is what it always is") {
    for (const bool old_c_elsewhere : {false, true}) {
      for (const Bias bias : {Bias::by_row, Bias::by_column}) {
        const Case how{.shape = {300, 131, 200},
                       .alpha = 0.7f,
                       .beta = -1.3f,
                       .scalars_by_address = true,
                       .finish = {old_c_elsewhere, bias, Activation::none}};
        const Reference reference(with_value(how, old_c_elsewhere, {77, 100}, infinity));
        for (const Kernel& kernel : gpu_tensor_kernels()) check_handed_over(kernel, reference);
      }
    }
  }

  TEST_CASE("with an alpha of 0, by value or by address, NaN in A and B does not reach C") {
    for (const bool by_address : {false, true}) {
      Operands operands({.shape = some_tiles, .alpha = 0.0f, .beta = 0.7f, .scalars_by_address = by_address});
      operands.a.fill(quiet_nan);
      operands.b.fill(infinity);
      const Reference reference(std::move(operands));
      for (const Kernel& kernel : gpu_tensor_kernels()) check_handed_over(kernel, reference);
    }
  }
}

// Each kernel of a chain does its work once.
TEST_SUITE("sanitize") {
  TEST_CASE("on tensor cores, problems that are handed over") {
    check_values(few_tiles, {{quiet_nan, {128, 160}}});
    const Case how{.shape = few_tiles, .op_a = Op::transpose};
    check_all_but_tf32(Reference(with_large_element_that_does_not_count(how, {7, 100})));
  }
}

}  // namespace ladder::test
