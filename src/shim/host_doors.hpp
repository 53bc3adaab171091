// SPDX-License-Identifier: MIT
// Types and prototypes of the BLAS doors: Fortran and CBLAS, with 32-bit and 64-bit integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "export.hpp"

namespace ladder::shim {

/// How a host door takes its arguments.
enum class Form : std::uint8_t { fortran32, fortran64, cblas32, cblas64 };

/// CBLAS enumerations; every value of an int may come in.
enum CblasOrder : int { cblas_row_major = 101, cblas_column_major = 102 };
enum CblasTranspose : int { cblas_no_trans = 111, cblas_trans = 112, cblas_conj_trans = 113 };

/// Fortran SGEMM as others define it: the lengths of the two CHARACTER arguments come last.
template <class Int>
using FortranSgemm = void (*)(const char* op_a, const char* op_b, const Int* m, const Int* n, const Int* k,
                              const float* alpha, const float* a, const Int* lda, const float* b, const Int* ldb,
                              const float* beta, float* c, const Int* ldc, std::size_t, std::size_t);

template <class Int>
using CblasSgemm = void (*)(CblasOrder, CblasTranspose, CblasTranspose, Int m, Int n, Int k, float alpha,
                            const float* a, Int lda, const float* b, Int ldb, float beta, float* c, Int ldc);

}  // namespace ladder::shim
