// SPDX-License-Identifier: MIT
// The last kernel behind a product of planes: FP32 FMAs, where the values are such that the planes do not serve.
#pragma once

#include <cstdint>

#include "gemm_problem.hpp"
#include "planes.hpp"
#include "rung.hpp"

namespace ladder {

/// What has been made of the operands before.
enum class OfferedPlanes : std::uint8_t {
  bf16x3,
  fp16x2_then_bf16x3,  ///< where those of fp16 do not serve
};

namespace gpu {

/// Does the whole problem where none of the offered planes serves, by what the device has found (range_facts.cuh), and
/// otherwise leaves C alone. Either way the facts are 0 afterwards. Sums are in blocks of 256 k, added up in order; by
/// k where plain_sums() asks for it.
LaunchStatus launch_out_of_range(const GemmProblem& problem, Stream stream, RangeFacts* facts, OfferedPlanes offered);

}  // namespace gpu

namespace emulated {

LaunchStatus launch_out_of_range(const GemmProblem& problem, Stream stream, RangeFacts* facts, OfferedPlanes offered);

}  // namespace emulated

}  // namespace ladder
