// SPDX-License-Identifier: MIT
// The letters that name op(X) in Fortran and in legacy cuBLAS.
#pragma once

#include <optional>

#include "gemm_problem.hpp"

namespace ladder::shim {

/// Either case; nothing for a letter that is none of N, T, C.
constexpr std::optional<Op> parse_op(char letter) {
  switch (letter) {
    case 'N':
    case 'n':
      return Op::none;
    case 'T':
    case 't':
    case 'C':
    case 'c':
      return Op::transpose;
    default:
      return std::nullopt;
  }
}

}  // namespace ladder::shim
