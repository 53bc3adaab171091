// SPDX-License-Identifier: MIT
// What the GPU suite iterates: every rung's own choice, and each configuration that it chooses from.
#pragma once

#include <string>
#include <vector>

#include "rung.hpp"
#include "support/gpu_run.hpp"

namespace ladder::test {

struct Kernel {
  std::string name;
  Launch launch;
  TileExtents tile;
};

inline std::vector<Kernel> gpu_kernels() {
  std::vector<Kernel> all;
  for (const Rung& rung : rungs()) {
    if (rung.gpu == nullptr) continue;
    all.push_back({rung.name, rung.gpu->launch, rung.gpu->tile});
    for (const KernelConfig& config : rung.gpu->configs) {
      all.push_back({std::string(rung.name) + ":" + config.name, config.launch, config.tile});
    }
  }
  return all;
}

}  // namespace ladder::test
