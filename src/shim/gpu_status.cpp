// SPDX-License-Identifier: MIT
#include "gpu_device.hpp"

namespace ladder::shim {

const char* status_text(LaunchStatus status) {
  switch (status) {
    case no_gpu_kernel:
      return "no kernel for the GPU and no cuBLAS";
    case out_of_host_memory:
      return "out of host memory";
    default:
      return launch_status_text(status);
  }
}

}  // namespace ladder::shim
