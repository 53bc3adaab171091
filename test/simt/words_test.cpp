// SPDX-License-Identifier: MIT
// Partial copies, 128-bit loads and shuffles.
#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "launch_fixture.hpp"

namespace ladder::emulated {

namespace {

constexpr int threads = 64;
constexpr int float_bytes = sizeof(float);

struct Landing {
  alignas(16) float data[vec * threads];
  StageBarrier full;
};

// Thread t copies t % 5 floats of its own four, and reports what is there before and after the wait.
__global__ void copy_some(const GemmProduct p, const BatchLayout, const Epilogue) {
  Landing& landing = block_smem<Landing>();
  if (threadIdx.x == 0) landing.full.init(threads);
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  float* mine = &landing.data[vec * thread];
  async_copy_some(mine, p.a + vec * thread, thread % (vec + 1) * float_bytes);
  for (int i = 0; i < vec; ++i) p.c[vec * thread + i] = mine[i];
  landing.full.arrive_when_copies_land();
  landing.full.wait(0);
  for (int i = 0; i < vec; ++i) p.c[vec * (threads + thread) + i] = mine[i];
}

__global__ void copy_nothing(const GemmProduct p, const BatchLayout, const Epilogue) {
  Landing& landing = block_smem<Landing>();
  landing.full.init(1);
  async_copy_some(landing.data, p.a, 0);
  landing.full.arrive_when_copies_land();
  landing.full.wait(0);
  for (int i = 0; i < vec; ++i) p.c[i] = landing.data[i];
}

__global__ void copy_some_to_a_misaligned_address(const GemmProduct p, const BatchLayout, const Epilogue) {
  async_copy_some(block_smem<Landing>().data + 1, p.a, float_bytes);
}

__global__ void copy_some_from_a_misaligned_address(const GemmProduct p, const BatchLayout, const Epilogue) {
  async_copy_some(block_smem<Landing>().data, p.a + 1, float_bytes);
}

template <int OFFSET>
__global__ void load_quads(const GemmProduct p, const BatchLayout, const Epilogue) {
  const float4 once = load_once(p.a + OFFSET);
  const float4 part = load_part(p.a + OFFSET);
  const float all[] = {once.x, once.y, once.z, once.w, part.x, part.y, part.z, part.w};
  std::copy(std::begin(all), std::end(all), p.c);
}

__global__ void load_a_misaligned_part(const GemmProduct p, const BatchLayout, const Epilogue) {
  p.c[0] = load_part(p.a + 2).x;
}

// Several shuffles with nothing between them: no lane may be overtaken.
__global__ void exchange(const GemmProduct p, const BatchLayout, const Epilogue) {
  const int thread = static_cast<int>(threadIdx.x);
  float sum = static_cast<float>(thread);
  for (int mask = warp_size / 2; mask > 0; mask /= 2) sum += shuffle_xor(sum, mask);
  p.c[thread] = sum;
  p.c[threads + thread] = shuffle(static_cast<float>(thread), thread % 2 == 0 ? 5 : warp_size - 1);
  p.c[2 * threads + thread] = shuffle_xor(static_cast<float>(thread), warp_size - 1);
}

__global__ void half_of_a_warp_shuffles(const GemmProduct p, const BatchLayout, const Epilogue) {
  if (threadIdx.x % 2 == 0) p.c[threadIdx.x] = shuffle(1.0f, 0);
}

LaunchStatus status_of(LaunchStatus (*launch_it)(const GemmProblem& problem)) {
  alignas(16) static const float input[2 * vec] = {1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<float> output(3 * threads, 0.0f);
  GemmProblem problem = problem_of({}, output);
  problem.a = input;
  return launch_it(problem);
}

template <auto kernel>
LaunchStatus launch_one_block(const GemmProblem& problem) {
  return launch<kernel, Landing>(1, threads, nullptr, problem);
}

}  // namespace

TEST_CASE("a partial copy lands at its wait, and is zeros where it copies nothing") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    // Beyond what thread t may read there is a NaN, and beyond the last element there is nothing.
    static_assert((threads - 1) % (vec + 1) == vec - 1, "the last thread copies three floats of four");
    std::vector<float> input(vec * threads - 1);
    for (std::size_t i = 0; i < input.size(); ++i) {
      const bool copied = i % vec < i / vec % (vec + 1);
      input[i] = copied ? static_cast<float>(i) : std::numeric_limits<float>::quiet_NaN();
    }
    std::vector<float> output(2 * vec * threads, -1.0f);
    REQUIRE(launch<copy_some, Landing>(1, threads, nullptr, problem_of(input, output)) == launch_ok);
    CHECK(std::all_of(output.begin(), output.begin() + vec * threads, [](float value) { return std::isnan(value); }));
    std::vector<float> due(vec * threads, 0.0f);
    for (std::size_t i = 0; i < input.size(); ++i) {
      if (!std::isnan(input[i])) due[i] = input[i];
    }
    CHECK(std::equal(due.begin(), due.end(), output.begin() + vec * threads));
  }
}

TEST_CASE("a copy of no bytes does not touch its source") {
  constexpr std::size_t bytes = 4096;
  void* const unreadable = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(unreadable != MAP_FAILED);
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::vector<float> output(vec, -1.0f);
    GemmProblem problem = problem_of({}, output);
    problem.a = static_cast<const float*>(unreadable);
    REQUIRE(launch<copy_nothing, Landing>(1, 1, nullptr, problem) == launch_ok);
    CHECK(output == std::vector<float>(vec, 0.0f));
  }
  munmap(unreadable, bytes);
}

TEST_CASE("a 128-bit load gives four floats, and only from an aligned address") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    alignas(16) const float input[] = {1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<float> output(2 * vec, 0.0f);
    GemmProblem problem = problem_of({}, output);
    problem.a = input;
    REQUIRE(launch<load_quads<vec>, NoSmem>(1, 1, nullptr, problem) == launch_ok);
    CHECK(output == std::vector<float>{5, 6, 7, 8, 5, 6, 7, 8});
    CHECK(status_of(launch_one_block<load_quads<1>>) == emulator_fault);
    CHECK(status_of(launch_one_block<load_a_misaligned_part>) == emulator_fault);
    CHECK(status_of(launch_one_block<copy_some_to_a_misaligned_address>) == emulator_fault);
    CHECK(status_of(launch_one_block<copy_some_from_a_misaligned_address>) == emulator_fault);
  }
}

TEST_CASE("a shuffle stays within its warp and needs all of it") {
  for (const simt::Scheduler scheduler : schedulers()) {
    const ChosenScheduler chosen(scheduler);
    std::vector<float> output(3 * threads, -1.0f);
    REQUIRE(launch<exchange, NoSmem>(1, threads, nullptr, problem_of({}, output)) == launch_ok);
    for (int thread = 0; thread < threads; ++thread) {
      CAPTURE(thread);
      const int first = thread / warp_size * warp_size;
      CHECK(output[thread] == static_cast<float>(warp_size * first + warp_size * (warp_size - 1) / 2));
      CHECK(output[threads + thread] == static_cast<float>(first + (thread % 2 == 0 ? 5 : warp_size - 1)));
      CHECK(output[2 * threads + thread] == static_cast<float>(first + warp_size - 1 - thread % warp_size));
    }
    CHECK(status_of(launch_one_block<half_of_a_warp_shuffles>) == emulator_diverged);
  }
}

}  // namespace ladder::emulated
