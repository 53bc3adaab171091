// SPDX-License-Identifier: MIT
// Which GPU a measurement belongs to.
#pragma once

#include <string>

namespace ladder {

struct GpuIdentity {
  std::string name;  ///< "NVIDIA H200"; empty where there is no such device
  int multiprocessors = 0;
  int cuda_of_driver = 0;  ///< the CUDA version that the driver serves: 13000 for 13.0
};

/// Of the CUDA device with that ordinal. Takes milliseconds; leaves no CUDA error behind.
GpuIdentity gpu_identity(int device);

}  // namespace ladder
