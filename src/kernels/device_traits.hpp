// SPDX-License-Identifier: MIT
// What a choice asks of the device. The emulator answers like the GPU that the ladder was measured on, so that it runs
// the same configurations.
#pragma once

#include "choose_config.hpp"

#if defined(__CUDACC__) || (LADDER_HAS_CUDA && !defined(LADDER_EMULATED))
#define LADDER_SEES_CUDA 1
#include <cuda_runtime.h>

#include <atomic>
#include <cstdint>
#endif

namespace ladder {

struct DeviceTraits {
  int multiprocessors = 0;
  int compute_capability = 0;  ///< 90 for sm_90
  TuningSlot slot = no_slot;   ///< where its measurements are
};

namespace emulated {

inline DeviceTraits device_traits() {
  return {.multiprocessors = 132, .compute_capability = 90, .slot = emulator_slot};
}

}  // namespace emulated

#if !defined(LADDER_EMULATED)
namespace gpu {

#if LADDER_SEES_CUDA

/// Those of no device; takes the CUDA error away that said so.
inline DeviceTraits no_traits() {
  static_cast<void>(cudaGetLastError());
  return {};
}

/// Of the current device; asked once per device, zeros where there is none. Legal while a stream is captured.
inline DeviceTraits device_traits() {
  static std::atomic<std::uint32_t> known[tracked_devices];
  constexpr int capability_bits = 16;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return no_traits();
  std::uint32_t packed = device < tracked_devices ? known[device].load(std::memory_order_relaxed) : 0;
  if (packed == 0) {
    int count = 0;
    int major = 0;
    int minor = 0;
    if (cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
      return no_traits();
    }
    packed = static_cast<std::uint32_t>(count) << capability_bits | static_cast<std::uint32_t>(10 * major + minor);
    if (device < tracked_devices) known[device].store(packed, std::memory_order_relaxed);
  }
  return {.multiprocessors = static_cast<int>(packed >> capability_bits),
          .compute_capability = static_cast<int>(packed & ((1u << capability_bits) - 1)),
          .slot = device < tracked_devices ? TuningSlot{device} : no_slot};
}

#else

inline DeviceTraits device_traits() { return {}; }

#endif

}  // namespace gpu
#endif

}  // namespace ladder
