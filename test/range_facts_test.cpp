// SPDX-License-Identifier: MIT
// What the kernel that writes planes finds out about the values, and what follows from it.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "split_planes.cuh"
#include "support/matrix.hpp"
#include "support/plane_reader.hpp"

namespace ladder::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// Operands of ones, along k, of 16 rows, of 4 columns, and of two stretches of k that share a scale.
struct Ones {
  static constexpr std::int64_t m = 16, n = 4, k = 2 * scaled_k;

  Ones() : a(k, m, k, 0), b(k, n, k, 0) {
    a.fill(1.0f);
    b.fill(1.0f);
    problem.op_a = Op::transpose;
    problem.m = m, problem.n = n, problem.k = k;
    problem.alpha.value = 1.0f;
    problem.a = a.data(), problem.lda = k;
    problem.b = b.data(), problem.ldb = k;
  }

  Matrix a;
  Matrix b;
  GemmProblem problem;
};

template <PlaneFormat FORMAT>
RangeFacts facts_of(const Ones& ones) {
  PlaneBuffer planes(ones.problem, FORMAT);
  REQUIRE(emulated::launch_split<FORMAT>(ones.problem, nullptr, planes.operands(), Gate::always) == launch_ok);
  return planes.facts();
}

/// Whether two planes of fp16 are said to be too few once `change` has been made to the ones.
template <class Change>
bool is_beyond_fp16(const Change& change) {
  Ones ones;
  change(ones);
  return facts_of<PlaneFormat::fp16x2>(ones).beyond_fp16 != 0;
}

RangeFacts facts(float largest_a, float largest_b) { return {bits_of(largest_a), bits_of(largest_b), 0, 0}; }

bool bf16x3(float largest_a, float largest_b, std::int64_t k) {
  const RangeFacts known = facts(largest_a, largest_b);
  return emulated::serves_bf16x3(&known, k);
}

bool fp16x2(float largest_a, float largest_b, std::int64_t k) {
  const RangeFacts known = facts(largest_a, largest_b);
  return emulated::serves_fp16x2(&known, k);
}

}  // namespace

TEST_CASE("the largest magnitude of each operand is found, NaN above all") {
  Ones ones;
  ones.a.at(77, 15) = -3.0f;
  ones.b.at(127, 3) = 2.0f;
  const RangeFacts finite = facts_of<PlaneFormat::bf16x3>(ones);
  CHECK(finite.largest_a == bits_of(3.0f));
  CHECK(finite.largest_b == bits_of(2.0f));
  CHECK(finite.beyond_fp16 == 0);
  CHECK(finite.finished == 0);
  ones.a.at(0, 0) = -infinity;
  ones.b.at(64, 2) = -not_a_number;
  const RangeFacts special = facts_of<PlaneFormat::fp16x2>(ones);
  CHECK(special.largest_a == bits_of(infinity));
  CHECK(special.largest_b > bits_of(infinity));
  CHECK(special.largest_b <= 0x7fffffffu);
  ones.a.fill(-0.0f);
  CHECK(facts_of<PlaneFormat::bf16x3>(ones).largest_a == 0);
}

TEST_CASE("a row of scaled_k of k may have three elements far below its largest one, and any number of zeros") {
  const auto with_small = [](int count, float value) {
    return [=](Ones& ones) {
      for (int i = 0; i < count; ++i) ones.a.at(scaled_k - 2 * (i + 1), 5) = i % 2 == 0 ? value : -value;
    };
  };
  CHECK_FALSE(is_beyond_fp16([](Ones&) {}));
  CHECK_FALSE(is_beyond_fp16(with_small(3, 0x1p-18f)));
  CHECK(is_beyond_fp16(with_small(4, 0x1p-18f)));
  CHECK(is_beyond_fp16(with_small(4, 0x1p-149f)));
  CHECK_FALSE(is_beyond_fp16(with_small(30, 0x1p-17f)));
  CHECK_FALSE(is_beyond_fp16(with_small(30, 0.0f)));
  CHECK_FALSE(is_beyond_fp16([](Ones& ones) {  // three each in two rows and in two stretches of k
    for (int i = 0; i < 3; ++i) {
      ones.b.at(i, 0) = ones.b.at(i, 1) = ones.b.at(scaled_k + i, 0) = 0x1p-20f;
    }
  }));
  CHECK(is_beyond_fp16([](Ones& ones) {
    for (int i = 0; i < 4; ++i) ones.b.at(scaled_k + 16 * i, 3) = 0x1p-20f;
  }));
}

TEST_CASE("a row of scaled_k of k that is far from 1 as a whole is beyond fp16") {
  const auto all_of_a_row = [](float value) {
    return [=](Ones& ones) {
      for (std::int64_t k = 0; k < scaled_k; ++k) ones.a.at(k, 9) = value;
    };
  };
  for (const float sign : {1.0f, -1.0f}) {
    CHECK_FALSE(is_beyond_fp16(all_of_a_row(sign * 0x1p-90f)));
    CHECK_FALSE(is_beyond_fp16(all_of_a_row(sign * 0x1p90f)));
    CHECK(is_beyond_fp16(all_of_a_row(sign * 0x1.fffffep-91f)));
    CHECK(is_beyond_fp16(all_of_a_row(sign * 0x1.000002p90f)));
    CHECK(is_beyond_fp16(all_of_a_row(sign * 0x1p-149f)));
  }
  CHECK_FALSE(is_beyond_fp16(all_of_a_row(0.0f)));
  CHECK(is_beyond_fp16([](Ones& ones) { ones.b.at(3, 3) = infinity; }));
  CHECK(is_beyond_fp16([](Ones& ones) { ones.a.at(127, 0) = not_a_number; }));
}

TEST_CASE("where alpha or k is 0 nothing is read and nothing is written") {
  const float zero = 0.0f;
  GemmProblem problem;
  problem.m = 3, problem.n = 4, problem.k = 70;
  problem.lda = 3, problem.ldb = 70;
  GemmProblem on_device = problem;
  on_device.alpha.device = &zero;
  GemmProblem short_of_k = problem;
  short_of_k.k = 0;
  short_of_k.alpha.value = 1.0f;
  for (const GemmProblem& p : {problem, on_device}) {
    PlaneBuffer planes(p, PlaneFormat::fp16x2);
    CHECK(emulated::launch_split<PlaneFormat::fp16x2>(p, nullptr, planes.operands(), Gate::always) == launch_ok);
    CHECK(planes.is_untouched());
    CHECK(planes.facts().largest_a == 0);
  }
  PlaneBuffer planes(short_of_k, PlaneFormat::bf16x3);
  CHECK(emulated::launch_split<PlaneFormat::bf16x3>(short_of_k, nullptr, planes.operands(), Gate::always) == launch_ok);
  CHECK(planes.is_untouched());
}

TEST_CASE("planes of bf16 behind those of fp16 are written where fp16 may not serve") {
  Ones ones;
  PlaneBuffer planes(ones.problem, PlaneFormat::bf16x3);
  const auto split = [&] {
    return emulated::launch_split<PlaneFormat::bf16x3>(ones.problem, nullptr, planes.operands(), Gate::unless_fp16);
  };
  planes.facts() = facts(1.0f, 1.0f);
  REQUIRE(split() == launch_ok);
  CHECK(planes.is_untouched());
  planes.facts().beyond_fp16 = 1;
  REQUIRE(split() == launch_ok);
  CHECK(planes.sum(planes.operands().a, 0, 15, 127) == 0x1p16);
}

#if !defined(__SANITIZE_THREAD__)  // there a block is 256 OS threads
TEST_CASE("planes behind those of fp16 are written by few blocks, however many there are") {
  constexpr std::int64_t batch = 500;
  std::vector<float> numbers(batch);
  for (std::int64_t i = 0; i < batch; ++i) numbers[static_cast<std::size_t>(i)] = static_cast<float>(i + 1);
  GemmProblem problem;
  problem.m = problem.n = problem.k = 1;
  problem.alpha.value = 1.0f;
  problem.a = problem.b = numbers.data();
  problem.batch = batch, problem.stride_a = problem.stride_b = 1;
  PlaneBuffer planes(problem, PlaneFormat::bf16x3);
  planes.facts().beyond_fp16 = 1;
  REQUIRE(emulated::launch_split<PlaneFormat::bf16x3>(problem, nullptr, planes.operands(), Gate::unless_fp16) ==
          launch_ok);
  for (std::int64_t i = 0; i < batch; ++i) {
    const double expected = 0x1p16 * static_cast<double>(i + 1);
    CHECK(planes.sum(planes.operands().a, i, 0, 0) == expected);
    CHECK(planes.sum(planes.operands().b, i, 0, 0) == expected);
  }
  CHECK(planes.facts().largest_a == bits_of(500.0f));
  CHECK(planes.facts().largest_b == bits_of(500.0f));
}
#endif

TEST_CASE("bf16 serves where elements and sums, 2^16 and 2^32 times as large, stay finite") {
  CHECK(bf16x3(1.0f, 1.0f, 65536));
  CHECK(bf16x3(0.0f, 0.0f, 1));
  CHECK(bf16x3(0x1p-149f, 0x1.8p-140f, std::int64_t{1} << 40));
  CHECK(bf16x3(0x1.fffffep46f, 0x1.fffffep46f, 1));  // 46 + 46 + 34 = 126
  CHECK_FALSE(bf16x3(0x1.fffffep46f, 0x1.fffffep46f, 2));
  CHECK_FALSE(bf16x3(0x1p46f, 0x1p47f, 1));
  CHECK(bf16x3(0x1p40f, 0x1p40f, 4096));
  CHECK_FALSE(bf16x3(0x1p40f, 0x1p40f, 4097));
  CHECK(bf16x3(0x1.fffffep110f, 0x1p-100f, 1024));
  CHECK(bf16x3(0x1p-100f, 0x1.fffffep110f, 1024));
  CHECK_FALSE(bf16x3(0x1p111f, 0x1p-100f, 1));
  CHECK_FALSE(bf16x3(0x1p-100f, 0x1p111f, 1));
  for (const float special : {infinity, not_a_number}) {
    CHECK_FALSE(bf16x3(special, 0.0f, 1));
    CHECK_FALSE(bf16x3(0.0f, special, 1));
  }
}

TEST_CASE("fp16 serves where sums stay finite and no row is beyond it") {
  CHECK(fp16x2(1.0f, 1.0f, 65536));
  CHECK(fp16x2(0x1.fffffep62f, 0x1.fffffep62f, 1));  // 62 + 62 + 2 = 126
  CHECK_FALSE(fp16x2(0x1.fffffep62f, 0x1.fffffep62f, 2));
  CHECK(fp16x2(0x1p90f, 0x1p-90f, 65536));
  CHECK_FALSE(fp16x2(0x1p90f, 0x1p90f, 1));
  RangeFacts beyond = facts(1.0f, 1.0f);
  beyond.beyond_fp16 = 1;
  CHECK_FALSE(emulated::serves_fp16x2(&beyond, 1));
}

}  // namespace ladder::test
