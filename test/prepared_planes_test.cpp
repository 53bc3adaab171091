// SPDX-License-Identifier: MIT
// Operands that are kept as planes: the same bits as without, and no look at the matrix.
#include "prepared_planes.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

const Rung& tensor_rung(Precision precision) {
  const Rung* rung = rung_of(precision);
  REQUIRE(rung != nullptr);
  return *rung;
}

PreparedOperand a_of(const GemmProblem& p) { return {p.a, p.m, p.k, p.lda, p.op_a == Op::transpose}; }
PreparedOperand b_of(const GemmProblem& p) { return {p.b, p.n, p.k, p.ldb, p.op_b == Op::none}; }

/// While it lives, the operand is kept.
class Kept {
 public:
  explicit Kept(const PreparedOperand& operand) {
    REQUIRE(emulated::prepare(operand, nullptr, prepared_) == launch_ok);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { emulated::release(prepared_); }

 private:
  Prepared prepared_;
};

Matrix result_of(const Rung& rung, const Operands& operands) {
  Matrix result = operands.c;
  REQUIRE(rung.emulated->launch(operands.problem(result), nullptr) == launch_ok);
  return result;
}

bool has_nan(const Matrix& matrix) {
  for (std::int64_t j = 0; j < matrix.columns(); ++j) {
    for (std::int64_t i = 0; i < matrix.rows(); ++i) {
      if (matrix.at(i, j) != matrix.at(i, j)) return true;
    }
  }
  return false;
}

constexpr Op ops[] = {Op::none, Op::transpose};
constexpr Precision precisions[] = {Precision::bf16x6, Precision::fp16x3};

}  // namespace

TEST_SUITE("prepared operands") {
  TEST_CASE("give the same bits, and are not read again") {
    for (const Precision precision : precisions) {
      for (const Op op_a : ops) {
        for (const Op op_b : ops) {
          for (const auto& [keeps_a, keeps_b] : {std::pair{true, false}, {false, true}, {true, true}}) {
            Operands operands({.shape = {70, 45, 100}, .op_a = op_a, .op_b = op_b, .lines = Lines::odd});
            const Matrix due = result_of(tensor_rung(precision), operands);
            Matrix unused = operands.c;
            const GemmProblem p = operands.problem(unused);
            std::vector<std::unique_ptr<Kept>> kept;
            if (keeps_a) kept.push_back(std::make_unique<Kept>(a_of(p)));
            if (keeps_b) kept.push_back(std::make_unique<Kept>(b_of(p)));
            if (keeps_a) operands.a.fill(no_number);
            if (keeps_b) operands.b.fill(no_number);
            CHECK(result_of(tensor_rung(precision), operands).same_bits(due));
            kept.clear();
            CHECK(has_nan(result_of(tensor_rung(precision), operands)));
          }
        }
      }
    }
  }

  TEST_CASE("serve no other operand") {
    Operands operands({.shape = {40, 33, 96}});
    Matrix unused = operands.c;
    const GemmProblem p = operands.problem(unused);
    PreparedOperand other = a_of(p);
    for (const int difference : {0, 1, 2, 3}) {
      other = a_of(p);
      if (difference == 0) other.rows -= 1;
      if (difference == 1) other.k -= 1;
      if (difference == 2) other.matrix += 1, other.k -= 1;
      if (difference == 3) std::swap(other.rows, other.k), other.k_major = true;
      const Kept kept(other);
      CHECK(emulated::kept_operands(p).facts().a == nullptr);
    }
    const Kept kept(a_of(p));
    CHECK(emulated::kept_operands(p).facts().a != nullptr);
    CHECK(emulated::kept_operands(p).facts().b == nullptr);
  }

  TEST_CASE("serve a batch that shares them, and no other") {
    Operands operands({.shape = {40, 33, 96}});
    Matrix unused = operands.c;
    GemmProblem p = operands.problem(unused);
    const Kept a(a_of(p)), b(b_of(p));
    p.batch = 2;
    p.stride_b = 7;
    CHECK(emulated::kept_operands(p).facts().a != nullptr);
    CHECK(emulated::kept_operands(p).facts().b == nullptr);
    float* addresses[] = {p.c, p.c};
    p.c_array = addresses;
    CHECK(emulated::kept_operands(p).facts().a == nullptr);
  }

  TEST_CASE("that do not suit the tensor cores are handed on as ever") {
    for (const Precision precision : precisions) {
      for (const float value : {no_number, std::numeric_limits<float>::max(), 0x1p60f}) {
        Operands operands({.shape = {40, 33, 96}, .op_a = Op::transpose});
        operands.a.at(50, 7) = value;
        const Matrix due = result_of(tensor_rung(precision), operands);
        Matrix unused = operands.c;
        const Kept kept(a_of(operands.problem(unused)));
        const Matrix result = result_of(tensor_rung(precision), operands);
        for (std::int64_t j = 0; j < due.columns(); ++j) {
          for (std::int64_t i = 0; i < due.rows(); ++i) CHECK(same_value(result.at(i, j), due.at(i, j)));
        }
      }
    }
  }

  TEST_CASE("are as many as there is room for") {
    constexpr std::int64_t rows = 8, k = 40;
    const std::vector<float> matrix(static_cast<std::size_t>(k * (rows + PreparedTable::most + 1)), 1.0f);
    const auto operand = [&](std::int64_t number) {
      return PreparedOperand{matrix.data(), rows, k, rows + number, false};
    };
    std::vector<Prepared> kept(PreparedTable::most);
    for (int i = 0; i < PreparedTable::most; ++i)
      REQUIRE(emulated::prepare(operand(i), nullptr, kept[static_cast<std::size_t>(i)]) == launch_ok);
    Prepared one_more;
    CHECK(emulated::prepare(operand(PreparedTable::most), nullptr, one_more) == launch_no_memory);
    emulated::release(kept.back());
    REQUIRE(emulated::prepare(operand(PreparedTable::most), nullptr, kept.back()) == launch_ok);
    for (const Prepared& each : kept) emulated::release(each);
  }
}

}  // namespace ladder::test
