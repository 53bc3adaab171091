// SPDX-License-Identifier: MIT
// Blocks that share a tile: tickets, grids of their own, and arguments beside the problem.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int threads = 64;
constexpr int blocks = 40;

/// A problem that the emulator takes for worth several OS threads.
GemmProblem worth_several_cores(const std::vector<float>& input, std::vector<float>& output) {
  GemmProblem problem = problem_of(input, output);
  problem.m = problem.n = problem.k = 300;
  return problem;
}

struct Handover {
  std::uint32_t* ticket;
  float* parts;  // a block's worth of `threads` each
  int blocks;
};

struct Last {
  bool is_last;
};

__global__ void take_tickets(const GemmProduct p, const BatchLayout, const Epilogue, const Handover handover) {
  if (threadIdx.x == 0) p.c[blockIdx.x] = static_cast<float>(take_ticket(handover.ticket));
}

// Each block leaves its part, and whichever comes last adds them all in the order of the blocks.
__global__ void add_parts(const GemmProduct p, const BatchLayout, const Epilogue, const Handover handover) {
  Last& last = block_smem<Last>();
  const int thread = static_cast<int>(threadIdx.x);
  handover.parts[static_cast<int>(blockIdx.x) * threads + thread] = p.a[blockIdx.x] / static_cast<float>(thread + 1);
  __syncthreads();
  if (thread == 0) last.is_last = take_ticket(handover.ticket) + 1 == static_cast<unsigned>(handover.blocks);
  __syncthreads();
  if (!last.is_last) return;
  if (thread == 0) *handover.ticket = 0;
  if (thread >= threads / vec) return;
  float sums[vec] = {};
  for (int block = 0; block < handover.blocks; ++block) {
    const float4 part = load_part(handover.parts + block * threads + vec * thread);
    sums[0] += part.x, sums[1] += part.y, sums[2] += part.z, sums[3] += part.w;
  }
  std::copy(sums, sums + vec, p.c + vec * thread);
}

__global__ void report_grid(const GemmProduct p, const BatchLayout layout, const Epilogue) {
  if (threadIdx.x > 0) return;
  float* report = p.c + 3 * (blockIdx.y * gridDim.x + blockIdx.x);
  report[0] = static_cast<float>(gridDim.x), report[1] = static_cast<float>(gridDim.y);
  report[2] = static_cast<float>(layout.batch);
}

struct Plan {
  std::int64_t large;
  float small;
  bool flag;
};

__global__ void report_arguments(const GemmProduct p, const BatchLayout, const Epilogue, const Plan plan,
                                 const int number, const float* const address) {
  if (threadIdx.x != 1 || !plan.flag) return;
  p.c[0] = static_cast<float>(plan.large >> 40), p.c[1] = plan.small;
  p.c[2] = static_cast<float>(number), p.c[3] = *address;
}

}  // namespace

TEST_CASE("each block draws a ticket of its own") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::uint32_t ticket = 0;
    std::vector<float> drawn(blocks, -1.0f), due(blocks);
    std::iota(due.begin(), due.end(), 0.0f);
    const Handover handover{&ticket, nullptr, blocks};
    REQUIRE(launch<take_tickets, NoSmem>(blocks, threads, nullptr, worth_several_cores({}, drawn), handover) ==
            launch_ok);
    std::sort(drawn.begin(), drawn.end());
    CHECK(drawn == due);
    CHECK(ticket == blocks);
  }
}

TEST_CASE("the last block adds up the others' parts, to the same bits each time") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::vector<float> input(blocks);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = 1.0f + 0x1p-10f * static_cast<float>(i * i);
    std::vector<float> due(threads, 0.0f);
    for (int thread = 0; thread < threads; ++thread) {
      for (int block = 0; block < blocks; ++block) due[thread] += input[block] / static_cast<float>(thread + 1);
    }
    std::uint32_t ticket = 0;
    std::vector<float> parts(blocks * threads);
    for (int round = 0; round < 10; ++round) {
      std::fill(parts.begin(), parts.end(), -1.0f);
      std::vector<float> output(threads, -1.0f);
      const GemmProblem problem = worth_several_cores(input, output);
      const Handover handover{&ticket, parts.data(), blocks};
      REQUIRE(launch_blocks<add_parts, Last>(blocks, threads, nullptr, problem, handover) == launch_ok);
      CHECK(output == due);
      CHECK(ticket == 0);
    }
  }
}

TEST_CASE("a grid of blocks is not bound to the batch, one of tiles is") {
  constexpr int batch = 3;
  constexpr int width = 4;
  std::vector<float> output(3 * batch * width, -1.0f);
  GemmProblem problem = problem_of({}, output);
  problem.batch = batch;
  REQUIRE(launch<report_grid, NoSmem>(width, 1, nullptr, problem) == launch_ok);
  for (std::size_t at = 0; at < output.size(); at += 3) {
    CHECK(output[at] == width);
    CHECK(output[at + 1] == batch);
    CHECK(output[at + 2] == batch);
  }
  std::fill(output.begin(), output.end(), -1.0f);
  REQUIRE(launch_blocks<report_grid, NoSmem>(width, 1, nullptr, problem) == launch_ok);
  for (std::size_t at = 0; at < output.size(); at += 3) {
    const bool in_grid = at < 3 * width;
    CHECK(output[at] == (in_grid ? width : -1.0f));
    CHECK(output[at + 1] == (in_grid ? 1.0f : -1.0f));
    CHECK(output[at + 2] == (in_grid ? batch : -1.0f));
  }
}

TEST_CASE("a kernel gets every argument beside the problem") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    const float elsewhere = 0.25f;
    std::vector<float> output(4, -1.0f);
    const Plan plan{std::int64_t{7} << 40, 1.5f, true};
    REQUIRE(launch<report_arguments, NoSmem>(1, 2, nullptr, problem_of({}, output), plan, -3, &elsewhere) == launch_ok);
    CHECK(output == std::vector<float>{7.0f, 1.5f, -3.0f, 0.25f});
  }
}

}  // namespace ladder::emulated
