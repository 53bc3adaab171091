// SPDX-License-Identifier: MIT
// __syncthreads() and __syncwarp(): what a thread writes before it, others read after it.
#include <doctest/doctest.h>

#include <algorithm>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int rounds = 3;

struct Mailbox {
  float slot[simt::largest_block];
};

// Each round every thread takes what its right neighbour holds, so that after it all have moved left by one.
__global__ void rotate_block(const GemmProduct p, const BatchLayout, const Epilogue) {
  Mailbox& box = block_smem<Mailbox>();
  const unsigned thread = threadIdx.x;
  float held = p.a[thread];
  for (int round = 0; round < rounds; ++round) {
    box.slot[thread] = held;
    __syncthreads();
    held = box.slot[(thread + 1) % blockDim.x];
    __syncthreads();
  }
  p.c[thread] = held;
}

__global__ void rotate_warps(const GemmProduct p, const BatchLayout, const Epilogue) {
  Mailbox& box = block_smem<Mailbox>();
  const unsigned thread = threadIdx.x;
  const unsigned first = thread / warp_size * warp_size;
  const unsigned lanes = blockDim.x - first < warp_size ? blockDim.x - first : warp_size;
  float held = p.a[thread];
  for (int round = 0; round < rounds; ++round) {
    box.slot[thread] = held;
    __syncwarp();
    held = box.slot[first + (thread - first + 1) % lanes];
    __syncwarp();
  }
  p.c[thread] = held;
}

// Warp 0 makes more steps than the others: a warp's barrier must not wait for other warps.
__global__ void warps_of_unequal_length(const GemmProduct p, const BatchLayout, const Epilogue) {
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned steps = warp == 0 ? 10 : 1;
  for (unsigned step = 0; step < steps; ++step) __syncwarp();
  __syncthreads();
  p.c[threadIdx.x] = static_cast<float>(steps);
}

std::vector<float> ramp(int count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] = static_cast<float>(i);
  return values;
}

void expect_rotated(const std::vector<float>& output, int group) {
  const int count = static_cast<int>(output.size());
  for (int i = 0; i < count; ++i) {
    const int first = i / group * group;
    const int members = std::min(group, count - first);
    CHECK(output[static_cast<std::size_t>(i)] == static_cast<float>(first + (i - first + rounds) % members));
  }
}

}  // namespace

TEST_CASE("a value written before a barrier is read after it") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    for (const int threads : {1, 31, 32, 33, 256, 1000, 1024}) {
      CAPTURE(threads);
      const std::vector<float> input = ramp(threads);
      std::vector<float> output(input.size(), -1.0f);
      REQUIRE(launch<rotate_block, Mailbox>(1, threads, nullptr, problem_of(input, output)) == launch_ok);
      expect_rotated(output, threads);
      REQUIRE(launch<rotate_warps, Mailbox>(1, threads, nullptr, problem_of(input, output)) == launch_ok);
      expect_rotated(output, warp_size);
    }
  }
}

TEST_CASE("a warp's barrier concerns no other warp") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::vector<float> output(4 * warp_size, 0.0f);
    REQUIRE(launch<warps_of_unequal_length, NoSmem>(1, 4 * warp_size, nullptr, problem_of({}, output)) == launch_ok);
    CHECK(std::count(output.begin(), output.end(), 10.0f) == warp_size);
    CHECK(std::count(output.begin(), output.end(), 1.0f) == 3 * warp_size);
  }
}

}  // namespace ladder::emulated
