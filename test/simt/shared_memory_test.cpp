// SPDX-License-Identifier: MIT
// Shared memory is NaN until it is written, and an asynchronous copy is not there before its wait.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int threads = 64;
constexpr int phases = 4;

struct Words {
  float word[threads];
};

__global__ void read_then_write(const GemmProduct p, const BatchLayout, const Epilogue) {
  Words& words = block_smem<Words>();
  p.c[blockIdx.x * blockDim.x + threadIdx.x] = words.word[threadIdx.x];
  words.word[threadIdx.x] = 1.0f;
}

struct Stage {
  alignas(16) float data[vec * threads];
  StageBarrier full;
  StageBarrier empty;
};

// For each phase a thread reports what its stage holds before and after the wait.
template <int BYTES>
__global__ void copy_in_phases(const GemmProduct p, const BatchLayout, const Epilogue) {
  constexpr int FLOATS = BYTES / static_cast<int>(sizeof(float));
  Stage& stage = block_smem<Stage>();
  if (threadIdx.x == 0) {
    stage.full.init(threads);
    stage.empty.init(threads);
  }
  __syncthreads();
  const int mine = static_cast<int>(threadIdx.x) * FLOATS;
  for (unsigned phase = 0; phase < phases; ++phase) {
    const int source = static_cast<int>(phase) * threads * FLOATS + mine;
    if (phase > 0) stage.empty.wait((phase - 1) & 1u);
    async_copy<BYTES>(&stage.data[mine], p.a + source);
    if (phase == 0) p.c[threadIdx.x] = stage.data[mine];
    stage.full.arrive_when_copies_land();
    stage.full.wait(phase & 1u);
    float* report = p.c + threads + source;
    for (int i = 0; i < FLOATS; ++i) report[i] = stage.data[mine + i];
    stage.empty.arrive();
  }
}

// A copy that no barrier was told of: the wait is for the arrivals alone.
__global__ void forget_to_attach(const GemmProduct p, const BatchLayout, const Epilogue) {
  Stage& stage = block_smem<Stage>();
  if (threadIdx.x == 0) stage.full.init(threads);
  __syncthreads();
  async_copy<sizeof(float)>(&stage.data[threadIdx.x], p.a + threadIdx.x);
  stage.full.arrive();
  stage.full.wait(0);
  p.c[threadIdx.x] = stage.data[threadIdx.x];
}

bool all_nan(const float* values, std::size_t count) {
  return std::all_of(values, values + count, [](float value) { return std::isnan(value); });
}

template <int BYTES>
void expect_copies_land_at_their_wait() {
  constexpr std::size_t copied = std::size_t{phases} * threads * BYTES / sizeof(float);
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= 16, "a vector may be copied 16 bytes at a time");
  std::vector<float> input(copied);
  for (std::size_t i = 0; i < copied; ++i) input[i] = static_cast<float>(i);
  std::vector<float> output(threads + copied, -1.0f);
  REQUIRE(launch<copy_in_phases<BYTES>, Stage>(1, threads, nullptr, problem_of(input, output)) == launch_ok);
  CHECK(all_nan(output.data(), threads));
  CHECK(std::equal(input.begin(), input.end(), output.begin() + threads));
}

}  // namespace

TEST_CASE("shared memory starts as NaN in every block") {
  constexpr std::size_t blocks = 5;
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::vector<float> output(blocks * threads, 0.0f);
    REQUIRE(launch<read_then_write, Words>(blocks, threads, nullptr, problem_of({}, output)) == launch_ok);
    CHECK(all_nan(output.data(), output.size()));
  }
}

TEST_CASE("an asynchronous copy lands at its wait") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    expect_copies_land_at_their_wait<4>();
    expect_copies_land_at_their_wait<16>();
  }
}

TEST_CASE("a copy that is attached to no barrier never lands") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    const std::vector<float> input(threads, 1.0f);
    std::vector<float> output(threads, 0.0f);
    REQUIRE(launch<forget_to_attach, Stage>(1, threads, nullptr, problem_of(input, output)) == launch_ok);
    CHECK(all_nan(output.data(), output.size()));
  }
}

}  // namespace ladder::emulated
