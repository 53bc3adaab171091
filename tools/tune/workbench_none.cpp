// SPDX-License-Identifier: MIT
// Stands in for workbench_gpu.cpp in a build without CUDA.
#include "workbench.hpp"

namespace ladder::tune {

std::unique_ptr<Workbench> gpu_workbench(std::string& complaint) {
  complaint = "this ladder was built without CUDA: there is nothing to tune";
  return nullptr;
}

}  // namespace ladder::tune
