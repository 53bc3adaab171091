// SPDX-License-Identifier: MIT
// The CPU BLAS that the program would have used without us.
#pragma once

#include "door.hpp"
#include "gemm_problem.hpp"

namespace ladder::shim {

/// Serves `problem` (host memory, host scalars) with the next BLAS: the function of the door's own name,
/// or one that does the same under another name or with other integers. False where there is none.
bool call_next_blas(Door door, const GemmProblem& problem, const void* caller);

}  // namespace ladder::shim
