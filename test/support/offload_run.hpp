// SPDX-License-Identifier: MIT
// For tests of the streaming engine on a GPU that a fake plays.
#pragma once

#include <cstddef>

#include "fake_gpu_device.hpp"
#include "host_product.hpp"
#include "offload/engine.hpp"

namespace ladder::test {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = kib * kib;
inline constexpr int copying_threads = 2;
inline const shim::OffloadLimits roomy{0, 64 * mib, 64 * kib};
/// Panels of 32 or 64, and one side's pass by.
inline const shim::OffloadLimits tight{160 * kib, 64 * mib, 32 * kib};

/// Tests of a failure at every call take this step from one call to the next: ThreadSanitizer has seen the ways after a
/// few of them.
#if defined(__SANITIZE_THREAD__)
inline constexpr int next_failure = 7;
#else
inline constexpr int next_failure = 1;
#endif

/// By the default rung, untimed.
inline shim::OffloadOutcome run(shim::OffloadEngine& engine, HostProduct& product) {
  shim::GpuLap untimed(nullptr);
  return engine.run(default_rung(), product.problem, untimed);
}

/// What is left to others, computed as they would.
inline void finish_elsewhere(HostProduct& product, const shim::OffloadOutcome& outcome) {
  for (const shim::Rectangle& part : outcome.unwritten) product.compute({part.m0, part.m, part.n0, part.n});
}

}  // namespace ladder::test
