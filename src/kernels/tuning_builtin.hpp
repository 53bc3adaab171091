// SPDX-License-Identifier: MIT
// The measurements that come with the library, and the name of this build of the kernels.
#pragma once

#include <span>

#include "gpu_identity.hpp"
#include "tuning_table.hpp"

namespace ladder {

/// Those made on a GPU of that name and size; empty for any other.
std::span<const TuningRecord> builtin_tuning_records(const GpuIdentity& gpu);

/// A table of just these; null for a GPU without any. It lives as long as the process.
const TuningTable* builtin_tuning_table(const GpuIdentity& gpu);

/// Changes with the kernels' sources, the compiler and the architectures that they were built for: a measurement
/// of other kernels says nothing about these.
const char* kernels_build_id();

}  // namespace ladder
