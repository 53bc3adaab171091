// SPDX-License-Identifier: MIT
// A host-pointer call on a GPU, and on the CPU what the GPU failed to do of it.
#pragma once

#include "door.hpp"
#include "gemm_problem.hpp"
#include "gpu_stopwatch.hpp"
#include "offload/engine.hpp"
#include "served.hpp"

namespace ladder::shim {

struct Attempt {
  const char* failure = nullptr;  ///< null: C is complete, whoever computed it
  bool others_may_try = true;     ///< after a failure: C is as it was, and they can reach all of the matrices
};

/// Serves a valid call that is not a no-op by the rung and the engine, in the current context. Where the GPU fails on
/// the way, the next BLAS computes what is missing, or the emulator where there is none. `served` gets the device, and
/// the failure where there was one.
Attempt serve_offloaded(OffloadEngine& engine, const Rung& rung, Door door, const GemmProblem& problem,
                        const void* caller, Served& served, GpuLap& lap);

}  // namespace ladder::shim
