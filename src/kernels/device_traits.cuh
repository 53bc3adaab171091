// SPDX-License-Identifier: MIT
// The choice of a configuration by the traits of the current device.
#pragma once

#include "choose_config.hpp"
#include "device.cuh"
#include "device_traits.hpp"

namespace ladder::LADDER_DEVICE {

/// The configuration of a rung for this problem on the current device; see choose_config.hpp. `configs` lives as long
/// as the program.
inline const KernelConfig& chosen_config(RungKey rung, std::span<const KernelConfig> configs, const GemmProblem& p) {
  const DeviceTraits device = device_traits();
  return remembered_config(rung, configs, p, device.multiprocessors > 0 ? device.multiprocessors : 1, device.slot);
}

/// True where mma.sync knows bf16 and TF32, on the current device: from sm_80 on.
inline bool has_tensor_cores() {
  constexpr int ampere = 80;
  return device_traits().compute_capability >= ampere;
}

}  // namespace ladder::LADDER_DEVICE
