// SPDX-License-Identifier: MIT
#include "handle.hpp"

#include <cstddef>
#include <cstdint>

#include "config.hpp"
#include "next_library.hpp"

namespace ladder::shim {

namespace {

// A fixed table: whether a handle is ours is then a question of its address alone.
constexpr std::size_t most_handles = 1024;
OwnHandle table[most_handles];

/// The place in the table that the handle is, or null.
OwnHandle* slot_of(cublas::Handle handle) {
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(handle) - reinterpret_cast<std::uintptr_t>(table);
  return offset < sizeof table && offset % sizeof table[0] == 0 ? &table[offset / sizeof table[0]] : nullptr;
}

/// What a handle of the real cuBLAS says of itself; its own functions know.
cublas::Status view_real_handle(cublas::Handle handle, const void* caller, HandleView& view) {
  const auto get_stream = next::cublasGetStream_v2(caller);
  const auto get_pointer_mode = next::cublasGetPointerMode_v2(caller);
  const auto get_math_mode = next::cublasGetMathMode(caller);
  if (get_stream == nullptr || get_pointer_mode == nullptr || get_math_mode == nullptr)
    return cublas::STATUS_NOT_INITIALIZED;
  cublas::Status status = get_stream(handle, &view.stream);
  if (status == cublas::STATUS_SUCCESS) status = get_pointer_mode(handle, &view.pointer_mode);
  cublas::Math math = cublas::DEFAULT_MATH;
  if (status == cublas::STATUS_SUCCESS) status = get_math_mode(handle, &math);
  view.tf32 = tf32_wish(math);
  return status;
}

}  // namespace

cublas::Handle create_own_handle() {
  for (OwnHandle& slot : table) {
    bool free = false;
    if (!slot.live.compare_exchange_strong(free, true)) continue;
    slot.stream = nullptr;
    slot.pointer_mode = cublas::POINTER_MODE_HOST;
    slot.math = cublas::DEFAULT_MATH;
    slot.atomics = cublas::ATOMICS_NOT_ALLOWED;
    return reinterpret_cast<cublas::Handle>(&slot);
  }
  return nullptr;
}

bool made_here(cublas::Handle handle) { return slot_of(handle) != nullptr; }

OwnHandle* own_handle(cublas::Handle handle) {
  OwnHandle* slot = slot_of(handle);
  return slot != nullptr && slot->live.load(std::memory_order_acquire) ? slot : nullptr;
}

void destroy_own_handle(OwnHandle& handle) { handle.live.store(false, std::memory_order_release); }

cublas::Status view_handle(cublas::Handle handle, const void* caller, HandleView& view) {
  if (const OwnHandle* own = own_handle(handle)) {
    view = {true, own->stream, own->pointer_mode, tf32_wish(own->math)};
    return cublas::STATUS_SUCCESS;
  }
  if (handle == nullptr || emulating() || made_here(handle)) return cublas::STATUS_NOT_INITIALIZED;
  return view_real_handle(handle, caller, view);
}

}  // namespace ladder::shim
