// SPDX-License-Identifier: MIT
#include "rung.hpp"

#if LADDER_HAS_CUDA
#include <cuda_runtime.h>
#endif

namespace ladder {

const char* launch_status_text(LaunchStatus status) {
  switch (status) {
    case launch_ok:
      return "no error";
    case emulator_deadlock:
      return "emulator: every thread of a block waits";
    case emulator_diverged:
      return "emulator: a barrier that some threads of the block never reach";
    case emulator_no_memory:
      return "emulator: out of memory";
    case emulator_no_fma:
      return "emulator: this CPU has no fused multiply-add";
    case emulator_fault:
      return "emulator: a misaligned copy, a barrier used before its init(), or a grid that no GPU takes";
    default:
      break;
  }
#if LADDER_HAS_CUDA
  return cudaGetErrorString(static_cast<cudaError_t>(status));
#else
  return "unknown launch status";
#endif
}

}  // namespace ladder
