// SPDX-License-Identifier: MIT
#include "gpu_identity.hpp"

#if LADDER_HAS_CUDA
#include <cuda_runtime.h>

#include "allowed_during_capture.hpp"
#endif

namespace ladder {

#if LADDER_HAS_CUDA

GpuIdentity gpu_identity(int device) {
  const gpu::AllowedDuringCapture allowed;
  cudaDeviceProp properties;
  int cuda_of_driver = 0;
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess ||
      cudaDriverGetVersion(&cuda_of_driver) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  return {properties.name, properties.multiProcessorCount, cuda_of_driver};
}

#else

GpuIdentity gpu_identity(int) { return {}; }

#endif

}  // namespace ladder
