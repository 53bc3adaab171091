// SPDX-License-Identifier: MIT
// A problem in host memory, run on the GPU between guard bands. Built where there is CUDA.
#pragma once

#include <functional>
#include <string>

#include "rung.hpp"

namespace ladder::test {

using Launch = std::function<LaunchStatus(const GemmProblem&, Stream)>;

/// Copies the matrices, and scalars given by address, to the current GPU, as far from a 16-byte boundary as
/// on the host; launches on the legacy default stream; waits; copies C back. Empty, or what went wrong: a
/// CUDA error, a write outside a matrix, a write to A or B.
std::string run_on_gpu(const Launch& launch, const GemmProblem& host);

/// True where the CUDA runtime finds a GPU.
bool gpu_works();

}  // namespace ladder::test
