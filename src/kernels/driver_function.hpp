// SPDX-License-Identifier: MIT
// Functions of the CUDA driver, through the runtime: the library must not need libcuda to load.
#pragma once

#include <cuda_runtime_api.h>

namespace ladder::gpu {

/// The function as it has been since that version of CUDA (12000 for 12.0), as cudaTypedefs.h declares it: `Function`
/// is PFN_<name>_v<version>. Null where the driver has none. Makes no context; leaves no CUDA error behind.
template <class Function>
Function driver_function(const char* name, [[maybe_unused]] unsigned version) {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  const cudaError_t error = cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &found);
#endif
  if (error == cudaSuccess && found == cudaDriverEntryPointSuccess) return reinterpret_cast<Function>(address);
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

}  // namespace ladder::gpu
