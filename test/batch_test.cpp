// SPDX-License-Identifier: MIT
// A batch in one launch, emulated: bit for bit what rung 1, or the rung itself, gives product by product.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "grid_extents.hpp"
#include "support/batch_case.hpp"

namespace ladder::test {

namespace {

/// With m and n that are multiples of four and fill a small tile, the first product has 128-bit accesses.
Shape shape_within(const TileExtents& tile) { return {tile.bm / 2 + 4, tile.bn / 2 + 4, tile.bk + 1}; }

}  // namespace

TEST_CASE("a batch gives the bits of its products one by one, whatever the strides") {
  for (const Rung* rung : chosen_rungs()) {
    const Shape shape = shape_within(rung->emulated->tile);
    check_batch(*rung, {.shape = shape, .strides = {1, 0, 1}});
    if (effort() == Effort::tiny) continue;
    check_batch(*rung, {.shape = shape, .op_b = Op::transpose, .strides = {0, 1, 1}});
    check_batch(*rung, {.shape = shape, .op_a = Op::transpose, .strides = {1, 1, -1}});
    check_batch(*rung, {.shape = shape, .op_a = Op::transpose, .op_b = Op::transpose, .strides = {-1, -1, 1}});
    check_batch(*rung, {.shape = shape, .op_a = Op::transpose, .batch = 5, .in_arrays = true});
    check_batch(*rung, {.shape = shape,
                        .op_b = Op::transpose,
                        .strides = {1, 0, 1},
                        .apart = 4,
                        .in_arrays = true,
                        .finish = {true, Bias::by_column, Activation::gelu}});
    check_batch(*rung, {.shape = shape, .finish = {true, Bias::by_row, Activation::relu}, .shares_bias = true});
    for (const KernelConfig& config : rung->emulated->configs) {
      check_batch(*rung, {.shape = shape_within(config.tile), .op_b = Op::transpose});
    }
  }
}

TEST_CASE("where nothing is read of A and B, their arrays are not needed either") {
  if (effort() == Effort::tiny) return;
  constexpr float nothing = 0.0f;
  constexpr std::int64_t batch = 3, size = 5;
  const std::vector<float> bias = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f};
  for (const Rung* rung : chosen_rungs()) {
    INFO(rung->id);
    for (const bool by_k : {false, true}) {
      for (const bool with_bias : {false, true}) {
        std::vector<float> c(batch * size * size, 8.0f);
        const std::vector<float*> c_array = addresses_of({2, 0, 1}, c.data(), size * size);
        GemmProblem p;
        p.m = p.n = size;
        p.k = by_k ? 0 : size;
        p.lda = p.ldb = p.ldc = size;
        if (by_k) {
          p.alpha.value = 1.0f;
        } else {
          p.alpha.device = &nothing;
        }
        p.beta.value = 0.5f;
        p.batch = batch;
        p.c_array = c_array.data();
        if (with_bias) p.bias = bias.data();
        std::vector<float> due(c.size(), 4.0f);
        for (std::size_t i = 0; with_bias && i < due.size(); ++i) due[i] += bias[i % size];
        const auto check = [&](auto launch) {
          std::fill(c.begin(), c.end(), 8.0f);
          REQUIRE(launch(p, nullptr) == launch_ok);
          CHECK(c == due);
        };
        check(rung->emulated->launch);
        for (const KernelConfig& config : rung->emulated->configs) {
          INFO(config.name);
          if (can_run(config, p)) check(config.launch);
        }
      }
    }
  }
}

TEST_CASE("a batch that does not fill its last layer of blocks, and an empty one") {
  if (effort() != Effort::full) return;
  constexpr std::int64_t batch = largest_grid_yz + 2;
  for (const Rung* rung : chosen_rungs()) {
    INFO(rung->id);
    // The blocks of rung 12 are found as those of rung 11 are.
    if (rung->precision == Precision::fp16x3 || (sanitizer_share > 1 && uses_tensor_cores(rung->precision))) continue;
    // One more of each than the batch has: what a block too many would take.
    std::vector<float> c(batch + 1, 1.0f);
    const float a = 2.0f, b = 3.0f;
    const std::vector<const float*> a_array(batch + 1, &a), b_array(batch + 1, &b);
    std::vector<float*> c_array;
    for (float& element : c) c_array.push_back(&element);
    GemmProblem p;
    p.m = p.n = p.k = 1;
    p.alpha.value = p.beta.value = 1.0f;
    p.batch = batch;
    p.a_array = a_array.data();
    p.b_array = b_array.data();
    p.c_array = c_array.data();
    p.activation = Activation::relu;
    REQUIRE(rung->emulated->launch(p, nullptr) == launch_ok);
    std::vector<float> due(batch + 1, 7.0f);
    due.back() = 1.0f;
    CHECK(c == due);
    p.batch = 0;
    CHECK(is_noop(p));
  }
}

}  // namespace ladder::test
