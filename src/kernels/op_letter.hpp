// SPDX-License-Identifier: MIT
// The letters that the BLAS has for an operation.
#pragma once

#include "gemm_problem.hpp"

namespace ladder {

/// "N" or "T".
constexpr const char* op_letter(Op op) { return op == Op::none ? "N" : "T"; }

/// Of a letter that is known to be one of the two.
constexpr Op op_of_letter(char letter) { return letter == 'T' ? Op::transpose : Op::none; }

}  // namespace ladder
