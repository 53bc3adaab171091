// SPDX-License-Identifier: MIT
// Handles of our own, for programs that have no cuBLAS (and under LADDER_DEVICE=emulate).
#pragma once

#include <atomic>

#include "cublas_abi.hpp"

namespace ladder::shim {

struct OwnHandle {
  std::atomic<bool> live{false};
  cublas::CudaStream stream = nullptr;
  cublas::PointerMode pointer_mode = cublas::POINTER_MODE_HOST;
  cublas::Math math = cublas::DEFAULT_MATH;
  cublas::AtomicsMode atomics = cublas::ATOMICS_NOT_ALLOWED;
};

/// A new handle with cuBLAS's defaults; null when too many are alive. Any thread; no locks.
cublas::Handle create_own_handle();

/// Ours, or null: a handle of the real cuBLAS, an old one, or none. Never reads through the address.
OwnHandle* own_handle(cublas::Handle handle);

void destroy_own_handle(OwnHandle& handle);

/// How a device door sees a handle, whoever made it.
struct HandleView {
  bool own = false;
  cublas::CudaStream stream = nullptr;
  cublas::PointerMode pointer_mode = cublas::POINTER_MODE_HOST;
  bool wants_tf32 = false;  ///< the caller chose TF32 in the handle's math mode
};

/// Fills `view`; NOT_INITIALIZED for null and for a handle that neither we nor a real cuBLAS know.
cublas::Status view_handle(cublas::Handle handle, const void* caller, HandleView& view);

}  // namespace ladder::shim
