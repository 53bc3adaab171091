// SPDX-License-Identifier: MIT
// A batch in one launch, emulated: bit for bit what rung 1 gives product by product.
#include <doctest/doctest.h>

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
    for (const KernelConfig& config : rung->emulated->configs) {
      check_batch(*rung, {.shape = shape_within(config.tile), .op_b = Op::transpose});
    }
  }
}

TEST_CASE("a batch that does not fill its last layer of blocks, and an empty one") {
  if (effort() != Effort::full) return;
  constexpr std::int64_t batch = largest_grid_yz + 2;
  for (const Rung* rung : chosen_rungs()) {
    INFO(rung->id);
    // One more of each than the batch has: what a block too many would take.
    std::vector<float> a(batch + 1, 2.0f), b(batch + 1, 3.0f), c(batch + 1, 1.0f);
    GemmProblem p;
    p.m = p.n = p.k = 1;
    p.alpha.value = p.beta.value = 1.0f;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    p.batch = batch;
    p.stride_a = p.stride_b = p.stride_c = 1;
    REQUIRE(rung->emulated->launch(p, nullptr) == launch_ok);
    std::vector<float> due(batch + 1, 7.0f);
    due.back() = 1.0f;
    CHECK(c == due);
    p.batch = 0;
    CHECK(is_noop(p));
  }
}

}  // namespace ladder::test
