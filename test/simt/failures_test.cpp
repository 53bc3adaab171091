// SPDX-License-Identifier: MIT
// A wrong kernel ends with a status, and the next launch works.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int threads = 96;
constexpr std::chrono::milliseconds short_patience{200};

struct Barriers {
  alignas(16) float data[vec];
  StageBarrier stage;
};

__global__ void fill_with_ones(const GemmProduct p, const BatchLayout, const Epilogue) {
  __syncthreads();
  p.c[threadIdx.x] = 1.0f;
}

__global__ void half_of_the_block_exits(const GemmProduct, const BatchLayout, const Epilogue) {
  if (threadIdx.x < blockDim.x / 2) return;
  __syncthreads();
}

__global__ void half_of_a_warp_exits(const GemmProduct, const BatchLayout, const Epilogue) {
  if (threadIdx.x % warp_size < warp_size / 2) return;
  __syncwarp();
}

__global__ void wait_for_a_missing_arrival(const GemmProduct, const BatchLayout, const Epilogue) {
  StageBarrier& stage = block_smem<Barriers>().stage;
  if (threadIdx.x == 0) stage.init(threads + 1);
  __syncthreads();
  stage.arrive();
  stage.wait(0);
}

/// The first warp arrives after some hundreds of milliseconds, in which its lanes meet again and again.
__global__ void wait_for_a_slow_warp(const GemmProduct, const BatchLayout, const Epilogue) {
  StageBarrier& stage = block_smem<Barriers>().stage;
  if (threadIdx.x == 0) stage.init(threads);
  __syncthreads();
  if (threadIdx.x < warp_size) {
    for (int i = 0; i < 10; ++i) {
      if (threadIdx.x == 0) std::this_thread::sleep_for(short_patience / 4);
      __syncwarp();
    }
  }
  stage.arrive();
  stage.wait(0);
}

__global__ void wait_at_different_barriers(const GemmProduct, const BatchLayout, const Epilogue) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}

__global__ void use_a_barrier_before_init(const GemmProduct, const BatchLayout, const Epilogue) {
  block_smem<Barriers>().stage.arrive();
}

__global__ void copy_to_a_misaligned_address(const GemmProduct p, const BatchLayout, const Epilogue) {
  async_copy<16>(block_smem<Barriers>().data + 1, p.a);
}

// One launch of `kernel`, then a healthy one in the same thread.
template <auto kernel>
void expect_status(LaunchStatus expected) {
  alignas(16) static const float input[2 * vec] = {};
  std::vector<float> output(threads, 0.0f);
  GemmProblem problem = problem_of({}, output);
  problem.a = input;
  CHECK(launch<kernel, Barriers>(3, threads, nullptr, problem) == expected);
  CHECK(launch<fill_with_ones, NoSmem>(1, threads, nullptr, problem) == launch_ok);
  CHECK(std::count(output.begin(), output.end(), 1.0f) == threads);
}

}  // namespace

TEST_CASE("a barrier that exited threads never reach is divergence") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    expect_status<half_of_the_block_exits>(emulator_diverged);
    expect_status<half_of_a_warp_exits>(emulator_diverged);
  }
}

TEST_CASE("a stage that never completes is a deadlock") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler, short_patience);
    expect_status<wait_for_a_missing_arrival>(emulator_deadlock);
  }
}

TEST_CASE("a stage that completes late, while other lanes go on, is no deadlock") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler, short_patience);
    expect_status<wait_for_a_slow_warp>(launch_ok);
  }
}

TEST_CASE("threads that wait for each other at different barriers are a deadlock") {
  if (schedulers().front() != simt::Scheduler::fibers) return;  // OS threads do not find this one
  expect_status<wait_at_different_barriers>(emulator_deadlock);
}

TEST_CASE("what the GPU would refuse is a fault") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    expect_status<use_a_barrier_before_init>(emulator_fault);
    expect_status<copy_to_a_misaligned_address>(emulator_fault);
  }
  const GemmProblem problem;
  CHECK(launch<half_of_the_block_exits, NoSmem>(1, 0, nullptr, problem) == emulator_fault);
  CHECK(launch<half_of_the_block_exits, NoSmem>(1, simt::largest_block + 1, nullptr, problem) == emulator_fault);
  CHECK(launch<half_of_the_block_exits, NoSmem>(largest_grid_x + 1, 1, nullptr, problem) == emulator_fault);
}

}  // namespace ladder::emulated
