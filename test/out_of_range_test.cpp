// SPDX-License-Identifier: MIT
// The FP32 kernel behind the tensor cores, emulated: what it computes, and that it does nothing where planes serve.
#include "out_of_range.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/batch_case.hpp"

namespace ladder::test {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// What the kernels before may have found.
RangeFacts facts_of(float largest_a, float largest_b, std::uint32_t beyond_fp16 = 0) {
  return {bits_of(largest_a), bits_of(largest_b), beyond_fp16, 0};
}

bool are_zero(const RangeFacts& facts) {
  return facts.largest_a == 0 && facts.largest_b == 0 && facts.beyond_fp16 == 0 && facts.finished == 0;
}

/// Does the problem because an element of A is said to be infinite.
LaunchStatus launch_beyond_planes(const GemmProblem& p, Stream stream) {
  RangeFacts facts = facts_of(infinity, 1.0f);
  const LaunchStatus status = emulated::launch_out_of_range(p, stream, &facts, OfferedPlanes::bf16x3);
  CHECK(are_zero(facts));
  return status;
}

double some_cycles(const GemmProblem&, int) { return 1; }

// As a rung of its own, so that all that a rung has to answer for can be asked of it.
constexpr TileExtents tile{128, 128, 16, 1};
const KernelConfig config{"blocks_of_256", tile, launch_beyond_planes, some_cycles, Sums::as_asked};
const RungKernel kernel{.tile = tile, .launch = launch_beyond_planes, .configs = {&config, 1}};
const Rung as_rung{.id = "out_of_range",
                   .number = unnumbered,
                   .name = "out_of_range",
                   .precision = Precision::fp32,
                   .idea = "",
                   .gpu = nullptr,
                   .emulated = &kernel};

GemmProblem problem_of(const std::vector<float>& a, const std::vector<float>& b, float& c) {
  GemmProblem p;
  p.m = p.n = 1;
  p.k = static_cast<std::int64_t>(a.size());
  p.alpha.value = 1.0f;
  p.a = a.data(), p.b = b.data(), p.c = &c;
  p.ldb = p.k;
  return p;
}

}  // namespace

TEST_CASE("where the planes do not serve, every layout and epilogue is computed in FP32") {
  check_case(as_rung, {.shape = {128, 128, 17}, .alpha = 0.5f, .beta = 2.0f});
  if (effort() == Effort::tiny) return;
  for (const Op op_a : {Op::none, Op::transpose}) {
    for (const Op op_b : {Op::none, Op::transpose}) {
      check_case(as_rung, {.shape = {129, 131, 259}, .op_a = op_a, .op_b = op_b, .alpha = -1.5f, .lines = Lines::odd});
      check_case(as_rung, {.shape = {132, 60, 515}, .op_a = op_a, .op_b = op_b, .beta = 0.5f, .exact = true});
    }
  }
  check_case(as_rung, {.shape = {5, 7, 3}, .lines = Lines::tight, .shift = 1, .scalars_by_address = true});
  check_case(as_rung, {.shape = {37, 130, 20}, .alpha = 0.0f, .beta = 3.0f, .inputs_unreadable = true});
  for (const Bias bias : {Bias::by_row, Bias::by_column})
    check_case(as_rung, {.shape = {130, 33, 20}, .beta = 2.0f, .finish = {true, bias, Activation::gelu}});
}

TEST_CASE("the products of a batch each get their own, also where there are more of them than blocks") {
  check_batch(as_rung, {.shape = {132, 5, 9}, .strides = {1, 0, 1}, .finish = {true, Bias::by_row, Activation::relu}});
  if (effort() == Effort::tiny) return;
  check_batch(as_rung, {.shape = {7, 129, 3}, .op_a = Op::transpose, .strides = {-1, 1, 1}, .apart = 4});
  check_batch(as_rung, {.shape = {5, 6, 7}, .op_b = Op::transpose, .batch = 300, .in_arrays = true});
}

TEST_CASE("a sum is made of blocks of 256 k, added in their order") {
  constexpr std::size_t block = 256;
  std::vector<float> a(2 * block + 100), b(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::sin(static_cast<float>(i));
    b[i] = std::cos(3.0f * static_cast<float>(i));
  }
  float due = 0.0f;
  for (std::size_t first = 0; first < a.size(); first += block) {
    float sum = 0.0f;
    for (std::size_t i = first; i < a.size() && i < first + block; ++i) sum = std::fma(a[i], b[i], sum);
    due = first == 0 ? sum : due + sum;
  }
  float c = 0.0f;
  REQUIRE(launch_beyond_planes(problem_of(a, b, c), nullptr) == launch_ok);
  CHECK(bits_of(c) == bits_of(due));
}

TEST_CASE("infinities and numbers near the largest give what FP32 gives") {
  const auto product = [](const std::vector<float>& a, const std::vector<float>& b) {
    float c = 0.0f;
    REQUIRE(launch_beyond_planes(problem_of(a, b, c), nullptr) == launch_ok);
    return c;
  };
  CHECK(product({infinity, 2.0f}, {-1.0f, 1.0f}) == -infinity);
  CHECK(std::isnan(product({infinity, infinity}, {-1.0f, 1.0f})));
  CHECK(std::isnan(product({infinity}, {0.0f})));
  CHECK(product({0x1.8p127f, 1.0f}, {1.0f, 0x1p100f}) == 0x1.8p127f + 0x1p100f);
  CHECK(product({0x1p-149f, 0x1p127f}, {0x1p120f, 0x1p-126f}) == 0x1p-29f + 2.0f);
}

TEST_CASE("where planes serve, C stays as it is, and the facts are 0 again all the same") {
  constexpr float small = 1.0f, large = 0x1p100f;
  const auto is_left_alone = [&](RangeFacts facts, OfferedPlanes offered) {
    constexpr std::int64_t size = 300;  // several blocks
    std::vector<float> ones(size * size, 1.0f), c(ones.size(), 7.0f);
    GemmProblem p;
    p.m = p.n = size, p.k = 2;
    p.alpha.value = 1.0f;
    p.a = p.b = ones.data(), p.c = c.data();
    p.lda = p.ldb = p.ldc = size;
    REQUIRE(emulated::launch_out_of_range(p, nullptr, &facts, offered) == launch_ok);
    CHECK(are_zero(facts));
    const float everywhere = c[0];
    CHECK(c == std::vector<float>(c.size(), everywhere));
    CHECK((everywhere == 7.0f || everywhere == 2.0f));
    return everywhere == 7.0f;
  };
  constexpr auto either = OfferedPlanes::fp16x2_then_bf16x3;
  CHECK(is_left_alone(facts_of(small, small), OfferedPlanes::bf16x3));
  CHECK(is_left_alone(facts_of(0.0f, 0.0f), OfferedPlanes::bf16x3));
  CHECK_FALSE(is_left_alone(facts_of(large, small), OfferedPlanes::bf16x3));
  CHECK_FALSE(is_left_alone(facts_of(small, infinity), OfferedPlanes::bf16x3));
  CHECK_FALSE(is_left_alone(facts_of(std::numeric_limits<float>::quiet_NaN(), small), OfferedPlanes::bf16x3));
  CHECK(is_left_alone(facts_of(large, small), either));
  CHECK(is_left_alone(facts_of(small, small, 1), either));
  CHECK_FALSE(is_left_alone(facts_of(large, small, 1), either));
  CHECK_FALSE(is_left_alone(facts_of(large, large), either));
}

}  // namespace ladder::test
