// SPDX-License-Identifier: MIT
// Handles of our own, for programs that have no cuBLAS (and under LADDER_DEVICE=emulate).
#pragma once

#include <atomic>

#include "cublas_abi.hpp"
#include "tf32_wish.hpp"

namespace ladder::shim {

/// Settings and nothing else: no memory, no device. A product goes to the device that is current when it is called for
/// and takes what it needs of the handle at once, so that a handle may be changed or destroyed while products that it
/// was used for are still running. Any thread may read and change any setting at any time.
struct OwnHandle {
  std::atomic<bool> live{false};
  std::atomic<cublas::CudaStream> stream{nullptr};
  std::atomic<cublas::PointerMode> pointer_mode{cublas::POINTER_MODE_HOST};
  std::atomic<cublas::Math> math{cublas::DEFAULT_MATH};
  std::atomic<cublas::AtomicsMode> atomics{cublas::ATOMICS_NOT_ALLOWED};
};

/// A new handle with cuBLAS's defaults; null when too many are alive. Any thread; no locks.
cublas::Handle create_own_handle();

/// True for a handle that we made, alive or not: the real cuBLAS must never see it. Never reads through the address.
bool made_here(cublas::Handle handle);

/// Ours and alive, or null: a handle of the real cuBLAS, an old one, or none. Never reads through the address.
OwnHandle* own_handle(cublas::Handle handle);

void destroy_own_handle(OwnHandle& handle);

/// How a device door sees a handle, whoever made it.
struct HandleView {
  bool own = false;
  cublas::CudaStream stream = nullptr;
  cublas::PointerMode pointer_mode = cublas::POINTER_MODE_HOST;
  Tf32Wish tf32 = Tf32Wish::unsaid;  ///< the handle's math mode
};

/// Fills `view`; NOT_INITIALIZED for null and for a handle that neither we nor a real cuBLAS know.
cublas::Status view_handle(cublas::Handle handle, const void* caller, HandleView& view);

}  // namespace ladder::shim
