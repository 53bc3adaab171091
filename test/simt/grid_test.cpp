// SPDX-License-Identifier: MIT
// Every block runs once, whoever runs it; and the arithmetic is the GPU's.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int threads = 32;

struct Flag {
  float value;
};

// Thread 0 of each block adds one to the block's own element, by way of shared memory.
__global__ void count_blocks(const GemmProduct p, const BatchLayout, const Epilogue) {
  Flag& flag = block_smem<Flag>();
  if (threadIdx.x == blockDim.x - 1) flag.value = 1.0f;
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x < gridDim.x) p.c[blockIdx.x] += flag.value;
}

__global__ void multiply_add(const GemmProduct p, const BatchLayout, const Epilogue) {
  p.c[0] = __fmaf_rn(p.a[0], p.a[1], p.a[2]);
  p.c[1] = __fmul_rn(p.a[0], p.a[1]) + p.a[2];
}

bool each_block_runs_once(std::int64_t blocks, std::int64_t extent) {
  std::vector<float> output(static_cast<std::size_t>(blocks), 0.0f);
  GemmProblem problem = problem_of({}, output);
  problem.m = problem.n = problem.k = extent;  // what the emulator takes for the amount of work
  if (launch<count_blocks, Flag>(blocks, threads, nullptr, problem) != launch_ok) return false;
  return std::count(output.begin(), output.end(), 1.0f) == blocks;
}

}  // namespace

TEST_CASE("every block runs once") {
  constexpr std::int64_t small = 1;
  constexpr std::int64_t worth_several_cores = 1000;
  const bool fibers = schedulers().front() == simt::Scheduler::fibers;
  const std::int64_t many = fibers ? 3000 : 20;  // a block of OS threads takes milliseconds to start
  for (const std::int64_t blocks : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{7}, many}) {
    CAPTURE(blocks);
    CHECK(each_block_runs_once(blocks, small));
    CHECK(each_block_runs_once(blocks, worth_several_cores));
  }
}

TEST_CASE("several OS threads launch at once") {
  constexpr std::int64_t blocks = 10;
  std::array<bool, 4> right{};
  std::vector<std::thread> callers;
  for (bool& mine : right) callers.emplace_back([&mine] { mine = each_block_runs_once(blocks, 1); });
  for (std::thread& caller : callers) caller.join();
  CHECK(std::count(right.begin(), right.end(), true) == static_cast<int>(right.size()));
}

TEST_CASE("a forked child can launch") {
  constexpr std::int64_t worth_several_cores = 1000;
  REQUIRE(each_block_runs_once(16, worth_several_cores));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(each_block_runs_once(16, worth_several_cores) ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("only __fmaf_rn is fused") {
  constexpr float just_above_one = 1.0f + 0x1p-12f;  // its square needs 25 bits
  const std::vector<float> input{just_above_one, just_above_one, -1.0f};
  std::vector<float> output(2, 0.0f);
  REQUIRE(launch<multiply_add, NoSmem>(1, 1, nullptr, problem_of(input, output)) == launch_ok);
  CHECK(output[0] == 0x1p-11f + 0x1p-24f);
  CHECK(output[1] == 0x1p-11f);
}

TEST_CASE("subnormal numbers and the sign of zero survive") {
  const std::vector<float> input{0x1p-100f, -0x1p-48f, 0.0f};
  std::vector<float> output(2, 0.0f);
  REQUIRE(launch<multiply_add, NoSmem>(1, 1, nullptr, problem_of(input, output)) == launch_ok);
  CHECK(output[0] == -0x1p-148f);
  const std::vector<float> vanishing{0x1p-100f, -0x1p-100f, -0.0f};
  REQUIRE(launch<multiply_add, NoSmem>(1, 1, nullptr, problem_of(vanishing, output)) == launch_ok);
  CHECK(output[0] == 0.0f);
  CHECK(std::signbit(output[0]));
}

}  // namespace ladder::emulated
