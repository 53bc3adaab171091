// SPDX-License-Identifier: MIT
#include "gpu_context.hpp"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <cstdint>

#include "allowed_during_capture.hpp"
#include "key_numbers.hpp"

namespace ladder::gpu {

namespace {

constinit KeyNumbers<tracked_contexts> numbers;
static_assert(KeyNumbers<tracked_contexts>::none == no_context);

/// cuCtxGetId(), through the runtime: the library must not need libcuda to load. Null for a driver older than 12.0.
PFN_cuCtxGetId_v12000 context_id_getter() {
  void* address = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  constexpr unsigned introduced = 12000;
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion("cuCtxGetId", &address, introduced, cudaEnableDefault, &found);
#else
  const cudaError_t error = cudaGetDriverEntryPoint("cuCtxGetId", &address, cudaEnableDefault, &found);
#endif
  if (error == cudaSuccess && found == cudaDriverEntryPointSuccess)
    return reinterpret_cast<PFN_cuCtxGetId_v12000>(address);
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

/// Makes the primary context of the thread's device current.
bool take_primary_context() {
  const AllowedDuringCapture allowed;
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaSetDevice(device) == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

}  // namespace

int current_context() {
  static const PFN_cuCtxGetId_v12000 get_id = context_id_getter();
  if (get_id == nullptr) return no_context;
  unsigned long long id = 0;  // of the current context, unlike its handle never given to another one
  if (get_id(nullptr, &id) != CUDA_SUCCESS && (!take_primary_context() || get_id(nullptr, &id) != CUDA_SUCCESS))
    return no_context;
  return numbers.number_of(std::uint64_t{id} + 1);
}

}  // namespace ladder::gpu
