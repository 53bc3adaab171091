// SPDX-License-Identifier: MIT
// How long the rungs on the tensor cores take: a model, to compare them with each other and with rung 9 where nobody
// has measured.
#pragma once

#include "device_traits.hpp"
#include "rung.hpp"

namespace ladder {

/// Cycles that the device needs for the whole problem, from writing the planes to the last element, where the quickest
/// of a rung's configurations needs `product_cycles` on a Hopper GPU: in the unit of KernelConfig::predicted_cycles.
/// Infinite where the device has no such tensor cores, and for precisions that do not stand in for FP32.
double tensor_cycles(Precision precision, const GemmProblem& problem, double product_cycles,
                     const DeviceTraits& device);

}  // namespace ladder
