// SPDX-License-Identifier: MIT
// Threads that launch on the legacy default stream at once: each product is several kernels on tensor cores, which hand
// each other planes, so that another thread's must not come in between.
#include <doctest/doctest.h>

#include <thread>

#include "captured.hpp"

namespace ladder::test {

namespace {

/// The status of the first launch that failed.
LaunchStatus launch_all_rounds(const Kernel& kernel, const GemmProblem& problem) {
  for (int round = 0; round < rounds; ++round) {
    const LaunchStatus status = kernel.launch()(problem, nullptr);
    if (status != launch_ok) return status;
  }
  return launch_ok;
}

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("threads that launch on one stream at once do not get into each other's planes") {
    Growing small({384, 257, 512}, 1), large({2500, 2300, 1600}, 2);
    const Matrix due_small = small.due(), due_large = large.due();
    for (const Kernel& kernel : gpu_tensor_kernels()) {
      if (!kernel.runs(small.problem()) || !kernel.runs(large.problem())) continue;
      INFO(kernel.name());
      small.restore_c(), large.restore_c();
      LaunchStatus of_small = launch_ok;
      std::thread other([&] { of_small = launch_all_rounds(kernel, small.problem()); });
      const LaunchStatus of_large = launch_all_rounds(kernel, large.problem());
      other.join();
      CHECK(of_small == launch_ok);
      CHECK(of_large == launch_ok);
      CHECK(small.fetch().same_bits(due_small));
      CHECK(large.fetch().same_bits(due_large));
    }
  }
}

}  // namespace ladder::test
