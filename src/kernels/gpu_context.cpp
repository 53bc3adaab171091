// SPDX-License-Identifier: MIT
#include "gpu_context.hpp"

#include <cudaTypedefs.h>
#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "allowed_during_capture.hpp"
#include "driver_function.hpp"
#include "key_numbers.hpp"

namespace ladder::gpu {

namespace {

constinit KeyNumbers<tracked_contexts> numbers;
constinit std::array<std::atomic<bool>, tracked_contexts> entered{};
static_assert(KeyNumbers<tracked_contexts>::none == no_context);

/// Makes the primary context of the thread's device current.
bool take_primary_context() {
  const AllowedDuringCapture allowed;
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess && cudaSetDevice(device) == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  return false;
}

/// Sets the runtime up in the current context: with CUDA_MODULE_LOADING=EAGER all kernels are loaded then.
void enter_context() {
  const AllowedDuringCapture allowed;
  if (cudaFree(nullptr) != cudaSuccess) static_cast<void>(cudaGetLastError());
}

}  // namespace

int current_context() {
  constexpr unsigned version = 12000;
  static const auto get_id = driver_function<PFN_cuCtxGetId_v12000>("cuCtxGetId", version);
  if (get_id == nullptr) return no_context;
  unsigned long long id = 0;  // of the current context, unlike its handle never given to another one
  if (get_id(nullptr, &id) != CUDA_SUCCESS && (!take_primary_context() || get_id(nullptr, &id) != CUDA_SUCCESS))
    return no_context;
  const int context = numbers.number_of(std::uint64_t{id} + 1);
  if (context != no_context && !entered[context].load(std::memory_order_relaxed)) {
    enter_context();
    entered[context].store(true, std::memory_order_relaxed);
  }
  return context;
}

}  // namespace ladder::gpu
