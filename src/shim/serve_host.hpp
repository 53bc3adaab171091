// SPDX-License-Identifier: MIT
// Carries out a host-pointer call: the routes of its plan, one after the other, until one serves it.
#pragma once

#include "door.hpp"
#include "gemm_problem.hpp"

namespace ladder::shim {

/// `problem` is valid, in host memory, with host scalars. Counted and logged, unless this thread is
/// inside the next library. False where nothing could serve it: C is then as it was, or unspecified
/// with beta = 0, and one line on stderr has said so.
bool serve_host_call(Door door, const GemmProblem& problem, const void* caller);

}  // namespace ladder::shim
