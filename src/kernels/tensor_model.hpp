// SPDX-License-Identifier: MIT
// How long the rungs on the tensor cores take: a model, to compare them with each other and with rung 9 where nobody
// has measured.
#pragma once

#include "device_traits.hpp"
#include "rung.hpp"

namespace ladder {

/// Cycles that the device needs for the whole problem, from the pre-pass to the last element: in the unit of
/// KernelConfig::predicted_cycles. Infinite where the device's tensor cores do not work in that precision, and for
/// precisions that do not stand in for FP32. The extents are positive.
double tensor_cycles(Precision precision, const GemmProblem& problem, const DeviceTraits& device);

}  // namespace ladder
