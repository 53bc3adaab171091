// SPDX-License-Identifier: MIT
// Runs rung 3 with OS threads over several slabs of k, for ThreadSanitizer to watch. It is linked once
// with the rung's source and once with that source less one barrier.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "rung.hpp"
#include "simt/emulator.hpp"

namespace ladder::emulated {
extern const RungKernel r03;
}

int main() {
  using ladder::emulated::r03;
  constexpr int slabs = 3;
  const std::int64_t m = r03.tile.bm;
  const std::int64_t n = r03.tile.bn;
  const std::int64_t k = std::int64_t{slabs} * r03.tile.bk;
  const std::vector<float> a(static_cast<std::size_t>(m * k), 1.0f);
  const std::vector<float> b(static_cast<std::size_t>(k * n), 1.0f);
  std::vector<float> c(static_cast<std::size_t>(m * n), 0.0f);
  ladder::GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  problem.alpha.value = 1.0f;
  problem.a = a.data();
  problem.lda = m;
  problem.b = b.data();
  problem.ldb = k;
  problem.c = c.data();
  problem.ldc = m;
  ladder::simt::set_scheduler(ladder::simt::Scheduler::os_threads);
  const ladder::LaunchStatus status = r03.launch(problem, nullptr);
  if (status != ladder::launch_ok) std::fprintf(stderr, "race_probe: launch status %d\n", status);
  return status == ladder::launch_ok ? 0 : 1;
}
