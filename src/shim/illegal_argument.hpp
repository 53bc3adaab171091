// SPDX-License-Identifier: MIT
// How each kind of door reports an illegal argument.
#pragma once

#include <cstdint>

#include "gemm_problem.hpp"

namespace ladder::shim {

/// Position of an argument in SGEMM's Fortran argument list, which cuBLAS counts by too.
constexpr int fortran_position(GemmArgument argument) {
  constexpr int positions[] = {0, 3, 4, 5, 8, 10, 13};
  return positions[static_cast<int>(argument)];
}

inline constexpr int op_a_position = 1;
inline constexpr int op_b_position = 2;

inline constexpr char sgemm_routine[] = "SGEMM ";      ///< as Netlib names it, with six characters
inline constexpr char gemm_ex_routine[] = "GEMM_EX ";  ///< as cuBLAS names it and its batches

/// One line on stderr, in the BLAS's traditional words: what a cuBLAS door says beside its status.
void report_on_stderr(const char* routine, int position);

/// The program's own xerbla_, called through the PLT with Netlib's name for the routine; without one,
/// one line on stderr.
void report_to_xerbla(int position);

/// An illegal argument of a CBLAS door.
struct CblasIllegal {
  bool row_major;
  int position;            ///< in the caller's own argument list
  int exchanged_position;  ///< in that of the column-major problem, where it differs for row-major
  const char* form;        ///< describes the value in printf's way; "" where the position says enough
  int value;               ///< what `form` prints
};

/// The same for the program's cblas_xerbla.
void report_to_cblas_xerbla(const CblasIllegal& illegal);

}  // namespace ladder::shim
