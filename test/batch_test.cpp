// SPDX-License-Identifier: MIT
// A batch in one launch, emulated: bit for bit what its products give one by one.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "grid_extents.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

constexpr float canary = -77.0f;  // where no product of a batch has an element

/// Floats for `batch` matrices, `stride` apart (either sign), and the address of the first.
struct Stack {
  Stack(std::int64_t batch, std::int64_t stride, std::int64_t extent)
      : storage(static_cast<std::size_t>((batch - 1) * (stride < 0 ? -stride : stride) + extent), canary),
        first(stride < 0 ? (1 - batch) * stride : 0) {}

  float* data() { return storage.data() + first; }

  std::vector<float> storage;
  std::int64_t first;
};

void fill(std::vector<float>& values, unsigned seed) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<int>((i + 1) * 2654435761u * seed % 2001u) - 1000) / 512.0f;
  }
}

struct Strides {
  std::int64_t a, b, c;
};

/// `strides` count whole matrices; a few floats more keep neighbours apart, and put some of them off a 16-byte
/// boundary although the first one, with m and n that are multiples of four and fill a small tile, has 128-bit
/// accesses. `kernel`: of a rung, or one of its configurations.
template <class Kernel>
void check_batch(const Kernel& kernel, Op op_a, Op op_b, const Strides& strides) {
  constexpr std::int64_t batch = 3;
  const TileExtents& tile = kernel.tile;
  GemmProblem p;
  p.op_a = op_a;
  p.op_b = op_b;
  p.m = tile.bm / 2 + 4;
  p.n = tile.bn / 2 + 4;
  p.k = tile.bk + 1;
  p.alpha.value = 0.7f;
  p.beta.value = 1.3f;
  p.lda = op_a == Op::none ? p.m : p.k;
  p.ldb = op_b == Op::none ? p.k : p.n;
  p.ldc = p.m;
  p.batch = batch;
  p.stride_a = strides.a * (p.m * p.k + 1);
  p.stride_b = strides.b * (p.k * p.n + 2);
  p.stride_c = strides.c * (p.m * p.n + 3);
  Stack a(batch, p.stride_a, p.m * p.k), b(batch, p.stride_b, p.k * p.n), c(batch, p.stride_c, p.m * p.n);
  fill(a.storage, 1);
  fill(b.storage, 2);
  for (std::int64_t product = 0; product < batch; ++product) {
    for (std::int64_t i = 0; i < p.m * p.n; ++i) c.data()[product * p.stride_c + i] = 0.25f * static_cast<float>(i % 9);
  }
  p.a = a.data();
  p.b = b.data();
  Stack together = c, apart = c;
  p.c = together.data();
  REQUIRE(kernel.launch(p, nullptr) == launch_ok);
  for (std::int64_t product = 0; product < batch; ++product) {
    GemmProblem one = p;
    one.a += product * p.stride_a;
    one.b += product * p.stride_b;
    one.c = apart.data() + product * p.stride_c;
    one.batch = 1;
    REQUIRE(kernel.launch(one, nullptr) == launch_ok);
  }
  CHECK(together.storage == apart.storage);
  CHECK(together.storage != c.storage);
}

}  // namespace

TEST_CASE("a batch gives the bits of its products one by one, whatever the strides") {
  for (const Rung* rung : chosen_rungs()) {
    INFO(rung->id);
    check_batch(*rung->emulated, Op::none, Op::none, {1, 0, 1});
    if (effort() == Effort::tiny) continue;
    check_batch(*rung->emulated, Op::none, Op::transpose, {0, 1, 1});
    check_batch(*rung->emulated, Op::transpose, Op::none, {1, 1, -1});
    check_batch(*rung->emulated, Op::transpose, Op::transpose, {-1, -1, 1});
    for (const KernelConfig& config : rung->emulated->configs) {
      INFO(config.name);
      check_batch(config, Op::none, Op::transpose, {1, 1, 1});
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
