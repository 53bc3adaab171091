// SPDX-License-Identifier: MIT
// The functions about a cuBLAS handle: the real ones where there is a real cuBLAS, our own otherwise.
#include <atomic>
#include <cstdint>

#include "config.hpp"
#include "cublas_doors.hpp"
#include "gpu_device.hpp"
#include "handle.hpp"
#include "last_error.hpp"
#include "next_library.hpp"

namespace cublas = ladder::cublas;
namespace next = ladder::shim::next;
using cublas::Handle;
using cublas::Status;
using ladder::shim::emulating;
using ladder::shim::OwnHandle;

namespace {

/// Ours and alive: `serve(OwnHandle&)`. Otherwise the real function, which is looked for only then.
template <class Serve, class Real, class... Arguments>
Status ours_or_real(Handle handle, Serve&& serve, Real find_real, const void* caller, Arguments... arguments) {
  if (handle == nullptr) return cublas::STATUS_NOT_INITIALIZED;
  if (OwnHandle* own = ladder::shim::own_handle(handle)) return serve(*own);
  const auto real = emulating() || ladder::shim::made_here(handle) ? nullptr : find_real(caller);
  return real ? real(handle, arguments...) : cublas::STATUS_NOT_INITIALIZED;
}

template <class Value>
Status set(std::atomic<Value>& field, Value value, bool valid) {
  if (!valid) return cublas::STATUS_INVALID_VALUE;
  field = value;
  return cublas::STATUS_SUCCESS;
}

template <class Value>
Status get(Value field, Value* out) {
  if (out == nullptr) return cublas::STATUS_INVALID_VALUE;
  *out = field;
  return cublas::STATUS_SUCCESS;
}

/// cuBLAS takes every number that fits into the bits of a mode and of the flag beside it, whether it has a name or not.
bool is_math_mode(cublas::Math mode) {
  constexpr int mode_bits = 15;
  return (mode & ~(mode_bits | cublas::MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)) == 0;
}

// Version of the cuBLAS interface that our own handle follows.
constexpr int followed_major = 13;
constexpr int followed_minor = 0;
constexpr int followed_patch = 0;

}  // namespace

LADDER_EXPORT Status cublasCreate_v2(Handle* handle) {
  if (const auto real = emulating() ? nullptr : next::cublasCreate_v2(LADDER_CALLER)) return real(handle);
  if (handle == nullptr) return cublas::STATUS_INVALID_VALUE;
  *handle = nullptr;
  if (!emulating() && !ladder::shim::gpu_device().works()) {
    ladder::shim::set_last_error("cublasCreate: no cuBLAS found and no GPU works; LADDER_DEVICE=emulate needs neither");
    return cublas::STATUS_NOT_INITIALIZED;
  }
  *handle = ladder::shim::create_own_handle();
  return *handle != nullptr ? cublas::STATUS_SUCCESS : cublas::STATUS_ALLOC_FAILED;
}

LADDER_EXPORT Status cublasDestroy_v2(Handle handle) {
  const auto serve = [](OwnHandle& own) {
    ladder::shim::destroy_own_handle(own);
    return cublas::STATUS_SUCCESS;
  };
  return ours_or_real(handle, serve, next::cublasDestroy_v2, LADDER_CALLER);
}

LADDER_EXPORT Status cublasSetStream_v2(Handle handle, cublas::CudaStream stream) {
  const auto serve = [=](OwnHandle& own) { return set(own.stream, stream, true); };
  return ours_or_real(handle, serve, next::cublasSetStream_v2, LADDER_CALLER, stream);
}

LADDER_EXPORT Status cublasGetStream_v2(Handle handle, cublas::CudaStream* stream) {
  const auto serve = [=](OwnHandle& own) { return get(own.stream.load(), stream); };
  return ours_or_real(handle, serve, next::cublasGetStream_v2, LADDER_CALLER, stream);
}

LADDER_EXPORT Status cublasSetPointerMode_v2(Handle handle, cublas::PointerMode mode) {
  const auto serve = [=](OwnHandle& own) {
    return set(own.pointer_mode, mode, mode == cublas::POINTER_MODE_HOST || mode == cublas::POINTER_MODE_DEVICE);
  };
  return ours_or_real(handle, serve, next::cublasSetPointerMode_v2, LADDER_CALLER, mode);
}

LADDER_EXPORT Status cublasGetPointerMode_v2(Handle handle, cublas::PointerMode* mode) {
  const auto serve = [=](OwnHandle& own) { return get(own.pointer_mode.load(), mode); };
  return ours_or_real(handle, serve, next::cublasGetPointerMode_v2, LADDER_CALLER, mode);
}

LADDER_EXPORT Status cublasSetMathMode(Handle handle, cublas::Math mode) {
  const auto serve = [=](OwnHandle& own) { return set(own.math, mode, is_math_mode(mode)); };
  return ours_or_real(handle, serve, next::cublasSetMathMode, LADDER_CALLER, mode);
}

LADDER_EXPORT Status cublasGetMathMode(Handle handle, cublas::Math* mode) {
  const auto serve = [=](OwnHandle& own) { return get(own.math.load(), mode); };
  return ours_or_real(handle, serve, next::cublasGetMathMode, LADDER_CALLER, mode);
}

LADDER_EXPORT Status cublasSetAtomicsMode(Handle handle, cublas::AtomicsMode mode) {
  const auto serve = [=](OwnHandle& own) {
    return set(own.atomics, mode, mode == cublas::ATOMICS_NOT_ALLOWED || mode == cublas::ATOMICS_ALLOWED);
  };
  return ours_or_real(handle, serve, next::cublasSetAtomicsMode, LADDER_CALLER, mode);
}

LADDER_EXPORT Status cublasGetAtomicsMode(Handle handle, cublas::AtomicsMode* mode) {
  const auto serve = [=](OwnHandle& own) { return get(own.atomics.load(), mode); };
  return ours_or_real(handle, serve, next::cublasGetAtomicsMode, LADDER_CALLER, mode);
}

LADDER_EXPORT Status cublasSetWorkspace_v2(Handle handle, void* workspace, std::size_t bytes) {
  // No rung needs a workspace, and cuBLAS looks at neither its address nor its size here.
  const auto serve = [](OwnHandle&) { return cublas::STATUS_SUCCESS; };
  return ours_or_real(handle, serve, next::cublasSetWorkspace_v2, LADDER_CALLER, workspace, bytes);
}

LADDER_EXPORT Status cublasGetVersion_v2(Handle handle, int* version) {
  constexpr int major_unit = 10000;
  constexpr int minor_unit = 100;
  constexpr int followed = followed_major * major_unit + followed_minor * minor_unit + followed_patch;
  // The real function asks for no handle: neither do we.
  if (const auto real = emulating() ? nullptr : next::cublasGetVersion_v2(LADDER_CALLER)) return real(handle, version);
  return get(followed, version);
}

LADDER_EXPORT Status cublasGetProperty(cublas::Property property, int* value) {
  if (const auto real = emulating() ? nullptr : next::cublasGetProperty(LADDER_CALLER)) return real(property, value);
  switch (property) {
    case cublas::PROPERTY_MAJOR:
      return get(followed_major, value);
    case cublas::PROPERTY_MINOR:
      return get(followed_minor, value);
    case cublas::PROPERTY_PATCH:
      return get(followed_patch, value);
  }
  return cublas::STATUS_INVALID_VALUE;
}
