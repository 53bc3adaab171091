// SPDX-License-Identifier: MIT
// The cuBLASLt function that we export, and those of the real library that tell us what a call is about.
#pragma once

#include "cublas_lt_abi.hpp"
#include "export.hpp"

LADDER_EXPORT ladder::cublas_lt::Matmul cublasLtMatmul;

// Not ours: declared so that the next library's are typed.
extern "C" ladder::cublas_lt::MatmulDescCreate cublasLtMatmulDescCreate;
extern "C" ladder::cublas_lt::MatmulDescDestroy cublasLtMatmulDescDestroy;
extern "C" ladder::cublas_lt::MatmulDescGetAttribute cublasLtMatmulDescGetAttribute;
extern "C" ladder::cublas_lt::MatrixLayoutCreate cublasLtMatrixLayoutCreate;
extern "C" ladder::cublas_lt::MatrixLayoutDestroy cublasLtMatrixLayoutDestroy;
extern "C" ladder::cublas_lt::MatrixLayoutGetAttribute cublasLtMatrixLayoutGetAttribute;
