// SPDX-License-Identifier: MIT
// Medians, quartiles, means, and the shortest time that a problem can take.
#include "bench/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "bench/roofline.hpp"

using namespace ladder;
using namespace ladder::bench;

namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

BenchProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  BenchProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.batch = batch;
  return with_leading_dimensions(problem);
}

}  // namespace

TEST_CASE("median and quartiles interpolate linearly between order statistics") {
  const Spread odd = spread_of({5, 1, 3, 2, 4});
  CHECK(odd.q1 == 2);
  CHECK(odd.median == 3);
  CHECK(odd.q3 == 4);
  const Spread even = spread_of({4, 1, 3, 2});
  CHECK(even.q1 == 1.75);
  CHECK(even.median == 2.5);
  CHECK(even.q3 == 3.25);
  const Spread one = spread_of({7});
  CHECK(one.q1 == 7);
  CHECK(one.median == 7);
  CHECK(one.q3 == 7);
}

TEST_CASE("a NaN sample, or none, makes every statistic NaN") {
  for (const std::vector<double>& samples : {std::vector<double>{}, {nan_value, 1, 2}, {1, 2, nan_value}}) {
    const Spread spread = spread_of(samples);
    CHECK(std::isnan(spread.q1));
    CHECK(std::isnan(spread.median));
    CHECK(std::isnan(spread.q3));
    CHECK(std::isnan(geometric_mean(samples)));
  }
  CHECK(std::isnan(quantile({1, 2}, nan_value)));
  CHECK(std::isnan(quantile({1, 2}, 1.5)));
}

TEST_CASE("the geometric mean is of positive finite numbers only") {
  CHECK(geometric_mean(std::vector<double>{2, 8}) == doctest::Approx(4));
  CHECK(geometric_mean(std::vector<double>{0.5, 0.5, 0.5}) == doctest::Approx(0.5));
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()})
    CHECK(std::isnan(geometric_mean(std::vector<double>{1, bad})));
  // A product of these would overflow.
  CHECK(geometric_mean(std::vector<double>(3, 1e300)) == doctest::Approx(1e300));
}

TEST_CASE("the floor is the largest of flops, bytes and a launch") {
  Ceilings ceilings;
  ceilings.fma_tflops = 50;
  ceilings.copy_gbs = 4000;
  const auto cube = floor_of(problem_of(4096, 4096, 4096), {Pipe::fp32}, ceilings);
  REQUIRE(cube);
  CHECK(std::string(cube->limit) == "flops");
  CHECK(cube->ms == doctest::Approx(2.0 * 4096 * 4096 * 4096 / 50e12 * 1e3));
  const auto decode = floor_of(problem_of(8192, 1, 8192), {Pipe::fp32}, ceilings);
  REQUIRE(decode);
  CHECK(std::string(decode->limit) == "bytes");
  CHECK(decode->ms == doctest::Approx(4.0 * (8192.0 * 8192 + 2 * 8192) / 4000e9 * 1e3));
  const auto tiny = floor_of(problem_of(64, 64, 64), {Pipe::fp32}, ceilings);
  REQUIRE(tiny);
  CHECK(std::string(tiny->limit) == "launch");
  CHECK(tiny->ms == launch_floor_ms);
}

TEST_CASE("a product of FP32 numbers is several of narrower ones") {
  Ceilings ceilings;
  ceilings.tf32_tflops = 400, ceilings.bf16_tflops = 600, ceilings.fp16_tflops = 900, ceilings.copy_gbs = 4000;
  const auto floor_ms = [&](Precision precision) {
    const auto floor = floor_of(problem_of(8192, 8192, 8192), multiplier_of(precision), ceilings);
    REQUIRE(floor);
    CHECK(std::string(floor->limit) == "flops");
    return floor->ms;
  };
  const double ms_of_a_teraflop = 2.0 * 8192 * 8192 * 8192 / 1e12 * 1e3;
  CHECK(floor_ms(Precision::tf32) == doctest::Approx(ms_of_a_teraflop / 400));
  CHECK(floor_ms(Precision::bf16x6) == doctest::Approx(ms_of_a_teraflop / 100));
  CHECK(floor_ms(Precision::fp16x3) == doctest::Approx(ms_of_a_teraflop / 300));
  CHECK_FALSE(floor_of(problem_of(8192, 8192, 8192), multiplier_of(Precision::fp32), ceilings));
}

TEST_CASE("there is no floor without the ceilings that it needs") {
  Ceilings ceilings;
  ceilings.fma_tflops = 50;
  CHECK_FALSE(floor_of(problem_of(64, 64, 64), {Pipe::fp32}, ceilings));
  ceilings.copy_gbs = 4000;
  CHECK(floor_of(problem_of(64, 64, 64), {Pipe::fp32}, ceilings));
  CHECK_FALSE(floor_of(problem_of(64, 64, 64), {Pipe::tf32}, ceilings));
  ceilings.fma_tflops = nan_value;
  CHECK_FALSE(floor_of(problem_of(64, 64, 64), {Pipe::fp32}, ceilings));
}

TEST_CASE("a batch multiplies flops and bytes") {
  CHECK(flops(problem_of(2, 3, 5, 7)) == 2 * 2 * 3 * 5 * 7);
  CHECK(compulsory_bytes(problem_of(2, 3, 5, 7)) == 4 * (2 * 5 + 5 * 3 + 2 * 3) * 7);
}
