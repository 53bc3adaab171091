// SPDX-License-Identifier: MIT
// doctest's entry point, for a machine that may have no GPU: exit code 77 says "skipped" to Meson.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "support/gpu_run.hpp"
#include "work_plan.hpp"

int main(int argc, char** argv) {
  constexpr int skipped = 77;
  if (!ladder::test::gpu_works()) {
    std::puts("no GPU: skipped");
    return skipped;
  }
  // For racecheck, which does not follow a lane that speaks for its warp.
  ladder::set_every_lane_arrives(std::getenv("LADDER_TEST_EVERY_LANE") != nullptr);
  return doctest::Context(argc, argv).run();
}
