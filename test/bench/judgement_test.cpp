// SPDX-License-Identifier: MIT
// When a result of the benchmark is right, and where it is looked at.
#include "bench/judgement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

using namespace ladder;
using namespace ladder::bench;

namespace {

constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  GemmProblem problem;
  problem.m = m, problem.n = n, problem.k = k, problem.batch = batch;
  return problem;
}

// A sum of 1, reached over partial sums that make R = 10.
Sample sample_of_one() {
  return {.row = 1, .column = 2, .member = 0, .sum = 1.0, .partial_sums = 10.0, .magnitude = 4.0};
}

Judgement judged(float value, Accuracy accuracy = Accuracy::fp32) {
  return judge_samples(problem_of(8, 8, 8), {sample_of_one()}, {value}, {}, accuracy);
}

}  // namespace

TEST_CASE("an element is right up to its bound and not beyond") {
  const double bound = 4.0 * 0x1p-24 * (10.0 + 1.0);
  CHECK(judged(1.0f).right());
  CHECK(judged(1.0f).worst_error == 0.0);
  const auto within = static_cast<float>(1.0 + 0.9 * bound);
  const auto beyond = static_cast<float>(1.0 + 1.2 * bound);
  CHECK(judged(within).right());
  CHECK(judged(within).worst_error == doctest::Approx(0.9).epsilon(0.1));
  CHECK_FALSE(judged(beyond).right());
  CHECK(judged(beyond).verdict.find("C(1, 2)") != std::string::npos);
}

TEST_CASE("TF32 may lose what its operands lose") {
  const auto cut = static_cast<float>(1.0 + 3.9 * 0x1p-9);
  CHECK(judged(cut, Accuracy::tf32).right());
  CHECK_FALSE(judged(cut, Accuracy::fp32).right());
  CHECK_FALSE(judged(static_cast<float>(1.0 + 4.2 * 0x1p-9), Accuracy::tf32).right());
}

TEST_CASE("TF32 may take subnormals for zeros") {
  const Sample subnormal{
      .sum = 0x1p-130, .partial_sums = 0x1p-130, .magnitude = 0x1p-130, .largest_a = 0x1p-130, .largest_b = 1.0};
  CHECK(judge_samples(problem_of(1, 1, 1), {subnormal}, {0.0f}, {}, Accuracy::tf32).right());
  CHECK_FALSE(judge_samples(problem_of(1, 1, 1), {subnormal}, {0.0f}, {}, Accuracy::fp32).right());
  CHECK_FALSE(judge_samples(problem_of(1, 1, 1), {subnormal}, {0.0f}, {}, Accuracy::fp16x3).right());
}

TEST_CASE("two halves of FP16 may lose a share of the products and of the largest operands") {
  Sample sample = sample_of_one();
  const double fp32 = error_bound(sample, 8, Accuracy::fp32);
  CHECK(error_bound(sample, 8, Accuracy::fp16x3) == doctest::Approx(fp32 + 0x1p-21 * 4.0));
  sample.largest_a = 0x1p10, sample.largest_b = 0x1p12;
  CHECK(error_bound(sample, 8, Accuracy::fp16x3) == doctest::Approx(fp32 + 0x1p-21 * 4.0 + 8 * 0x1p-16));
  CHECK(error_bound(sample, 8, Accuracy::fp32) == fp32);
  CHECK_FALSE(judged(static_cast<float>(1.0 + 2.0 * fp32 + 0x1p-19), Accuracy::fp16x3).right());
}

TEST_CASE("each precision is judged by its own bound, bf16x6 by that of FP32") {
  CHECK(accuracy_of(Precision::fp32) == Accuracy::fp32);
  CHECK(accuracy_of(Precision::bf16x6) == Accuracy::fp32);
  CHECK(accuracy_of(Precision::tf32) == Accuracy::tf32);
  CHECK(accuracy_of(Precision::fp16x3) == Accuracy::fp16x3);
}

TEST_CASE("NaN and infinity are never right") {
  for (const Accuracy accuracy : {Accuracy::fp32, Accuracy::tf32, Accuracy::fp16x3})
    CHECK_FALSE(judged(nan_value, accuracy).right());
  CHECK(std::isnan(judged(nan_value).worst_error));
  CHECK_FALSE(judged(std::numeric_limits<float>::infinity()).right());
  const Judgement elsewhere = judge_samples(problem_of(8, 8, 8, 2), {sample_of_one()}, {1.0f},
                                            {.count = 3, .first = 64 + 8 + 5}, Accuracy::fp32);
  CHECK(elsewhere.verdict == "3 elements are NaN, the first C(5, 1) of batch member 1");
  CHECK(std::isnan(elsewhere.worst_error));
}

TEST_CASE("a sum of zeros must be zero") {
  Sample zero;
  CHECK(judge_samples(problem_of(1, 1, 1), {zero}, {0.0f}, {}, Accuracy::fp32).right());
  CHECK_FALSE(judge_samples(problem_of(1, 1, 1), {zero}, {1e-30f}, {}, Accuracy::fp32).right());
}

TEST_CASE("the first wrong element is named, the worst one counted") {
  Sample other = sample_of_one();
  other.row = 7;
  const Judgement judgement =
      judge_samples(problem_of(8, 8, 8), {sample_of_one(), other}, {1.5f, 3.0f}, {}, Accuracy::fp32);
  CHECK(judgement.verdict.find("C(1, 2)") != std::string::npos);
  CHECK(judgement.worst_error > judged(1.5f).worst_error);
}

TEST_CASE("places are different, inside, and hold the corners") {
  const GemmProblem problem = problem_of(100, 70, 1, 3);
  const std::vector<Sample> places = sample_places(problem, 256);
  REQUIRE(places.size() == 256);
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
  for (const Sample& place : places) {
    CHECK(place.row < 100);
    CHECK(place.column < 70);
    CHECK(place.member < 3);
    seen.emplace(place.row, place.column, place.member);
  }
  CHECK(seen.size() == 256);
  for (const std::int64_t row : {0, 99}) {
    for (const std::int64_t column : {0, 69}) {
      CHECK(seen.count({row, column, 0}) == 1);
      CHECK(seen.count({row, column, 2}) == 1);
    }
  }
}

TEST_CASE("a small C is looked at in whole") {
  CHECK(sample_places(problem_of(2, 2, 8000000), 256).size() == 4);
  CHECK(sample_places(problem_of(1, 300, 1), 256).size() == 256);
}
