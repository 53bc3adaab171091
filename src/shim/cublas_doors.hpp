// SPDX-License-Identifier: MIT
// Prototypes of every cuBLAS function that we export, and so of those that we hand on to.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cublas_abi.hpp"
#include "export.hpp"

// -- Matrix product ------------------------------------------------------------------------------------
LADDER_EXPORT ladder::cublas::Status cublasSgemm_v2(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                    ladder::cublas::Operation op_b, int m, int n, int k,
                                                    const float* alpha, const float* a, int lda, const float* b,
                                                    int ldb, const float* beta, float* c, int ldc);
LADDER_EXPORT ladder::cublas::Status cublasSgemm_v2_64(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                       ladder::cublas::Operation op_b, std::int64_t m, std::int64_t n,
                                                       std::int64_t k, const float* alpha, const float* a,
                                                       std::int64_t lda, const float* b, std::int64_t ldb,
                                                       const float* beta, float* c, std::int64_t ldc);
LADDER_EXPORT ladder::cublas::Status cublasSgemmStridedBatched(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                               ladder::cublas::Operation op_b, int m, int n, int k,
                                                               const float* alpha, const float* a, int lda,
                                                               long long stride_a, const float* b, int ldb,
                                                               long long stride_b, const float* beta, float* c, int ldc,
                                                               long long stride_c, int batch);
LADDER_EXPORT ladder::cublas::Status cublasSgemmBatched(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                        ladder::cublas::Operation op_b, int m, int n, int k,
                                                        const float* alpha, const float* const a[], int lda,
                                                        const float* const b[], int ldb, const float* beta,
                                                        float* const c[], int ldc, int batch);
LADDER_EXPORT ladder::cublas::Status cublasSgemmEx(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                   ladder::cublas::Operation op_b, int m, int n, int k,
                                                   const float* alpha, const void* a, ladder::cublas::DataType a_type,
                                                   int lda, const void* b, ladder::cublas::DataType b_type, int ldb,
                                                   const float* beta, void* c, ladder::cublas::DataType c_type,
                                                   int ldc);
LADDER_EXPORT ladder::cublas::Status cublasGemmEx(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                  ladder::cublas::Operation op_b, int m, int n, int k,
                                                  const void* alpha, const void* a, ladder::cublas::DataType a_type,
                                                  int lda, const void* b, ladder::cublas::DataType b_type, int ldb,
                                                  const void* beta, void* c, ladder::cublas::DataType c_type, int ldc,
                                                  ladder::cublas::Compute, ladder::cublas::Algorithm);
LADDER_EXPORT ladder::cublas::Status cublasGemmStridedBatchedEx(
    ladder::cublas::Handle, ladder::cublas::Operation op_a, ladder::cublas::Operation op_b, int m, int n, int k,
    const void* alpha, const void* a, ladder::cublas::DataType a_type, int lda, long long stride_a, const void* b,
    ladder::cublas::DataType b_type, int ldb, long long stride_b, const void* beta, void* c,
    ladder::cublas::DataType c_type, int ldc, long long stride_c, int batch, ladder::cublas::Compute,
    ladder::cublas::Algorithm);
LADDER_EXPORT ladder::cublas::Status cublasGemmBatchedEx(
    ladder::cublas::Handle, ladder::cublas::Operation op_a, ladder::cublas::Operation op_b, int m, int n, int k,
    const void* alpha, const void* const a[], ladder::cublas::DataType a_type, int lda, const void* const b[],
    ladder::cublas::DataType b_type, int ldb, const void* beta, void* const c[], ladder::cublas::DataType c_type,
    int ldc, int batch, ladder::cublas::Compute, ladder::cublas::Algorithm);
LADDER_EXPORT ladder::cublas::Status cublasSgemmStridedBatched_64(
    ladder::cublas::Handle, ladder::cublas::Operation op_a, ladder::cublas::Operation op_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const float* alpha, const float* a, std::int64_t lda, long long stride_a,
    const float* b, std::int64_t ldb, long long stride_b, const float* beta, float* c, std::int64_t ldc,
    long long stride_c, std::int64_t batch);
LADDER_EXPORT ladder::cublas::Status cublasSgemmBatched_64(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                           ladder::cublas::Operation op_b, std::int64_t m,
                                                           std::int64_t n, std::int64_t k, const float* alpha,
                                                           const float* const a[], std::int64_t lda,
                                                           const float* const b[], std::int64_t ldb, const float* beta,
                                                           float* const c[], std::int64_t ldc, std::int64_t batch);
LADDER_EXPORT ladder::cublas::Status cublasSgemmEx_64(ladder::cublas::Handle, ladder::cublas::Operation op_a,
                                                      ladder::cublas::Operation op_b, std::int64_t m, std::int64_t n,
                                                      std::int64_t k, const float* alpha, const void* a,
                                                      ladder::cublas::DataType a_type, std::int64_t lda, const void* b,
                                                      ladder::cublas::DataType b_type, std::int64_t ldb,
                                                      const float* beta, void* c, ladder::cublas::DataType c_type,
                                                      std::int64_t ldc);
LADDER_EXPORT ladder::cublas::Status cublasGemmEx_64(
    ladder::cublas::Handle, ladder::cublas::Operation op_a, ladder::cublas::Operation op_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, ladder::cublas::DataType a_type, std::int64_t lda,
    const void* b, ladder::cublas::DataType b_type, std::int64_t ldb, const void* beta, void* c,
    ladder::cublas::DataType c_type, std::int64_t ldc, ladder::cublas::Compute, ladder::cublas::Algorithm);
LADDER_EXPORT ladder::cublas::Status cublasGemmStridedBatchedEx_64(
    ladder::cublas::Handle, ladder::cublas::Operation op_a, ladder::cublas::Operation op_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, ladder::cublas::DataType a_type, std::int64_t lda,
    long long stride_a, const void* b, ladder::cublas::DataType b_type, std::int64_t ldb, long long stride_b,
    const void* beta, void* c, ladder::cublas::DataType c_type, std::int64_t ldc, long long stride_c,
    std::int64_t batch, ladder::cublas::Compute, ladder::cublas::Algorithm);
LADDER_EXPORT ladder::cublas::Status cublasGemmBatchedEx_64(
    ladder::cublas::Handle, ladder::cublas::Operation op_a, ladder::cublas::Operation op_b, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* const a[], ladder::cublas::DataType a_type,
    std::int64_t lda, const void* const b[], ladder::cublas::DataType b_type, std::int64_t ldb, const void* beta,
    void* const c[], ladder::cublas::DataType c_type, std::int64_t ldc, std::int64_t batch, ladder::cublas::Compute,
    ladder::cublas::Algorithm);
/// The legacy interface (v1) under its own name: scalars by value, no handle, no status.
LADDER_EXPORT void cublasSgemm(char op_a, char op_b, int m, int n, int k, float alpha, const float* a, int lda,
                               const float* b, int ldb, float beta, float* c, int ldc);

// -- Handle --------------------------------------------------------------------------------------------
LADDER_EXPORT ladder::cublas::Status cublasCreate_v2(ladder::cublas::Handle*);
LADDER_EXPORT ladder::cublas::Status cublasDestroy_v2(ladder::cublas::Handle);
LADDER_EXPORT ladder::cublas::Status cublasSetStream_v2(ladder::cublas::Handle, ladder::cublas::CudaStream);
LADDER_EXPORT ladder::cublas::Status cublasGetStream_v2(ladder::cublas::Handle, ladder::cublas::CudaStream*);
LADDER_EXPORT ladder::cublas::Status cublasSetPointerMode_v2(ladder::cublas::Handle, ladder::cublas::PointerMode);
LADDER_EXPORT ladder::cublas::Status cublasGetPointerMode_v2(ladder::cublas::Handle, ladder::cublas::PointerMode*);
LADDER_EXPORT ladder::cublas::Status cublasSetMathMode(ladder::cublas::Handle, ladder::cublas::Math);
LADDER_EXPORT ladder::cublas::Status cublasGetMathMode(ladder::cublas::Handle, ladder::cublas::Math*);
LADDER_EXPORT ladder::cublas::Status cublasSetAtomicsMode(ladder::cublas::Handle, ladder::cublas::AtomicsMode);
LADDER_EXPORT ladder::cublas::Status cublasGetAtomicsMode(ladder::cublas::Handle, ladder::cublas::AtomicsMode*);
LADDER_EXPORT ladder::cublas::Status cublasSetWorkspace_v2(ladder::cublas::Handle, void* workspace, std::size_t bytes);
LADDER_EXPORT ladder::cublas::Status cublasGetVersion_v2(ladder::cublas::Handle, int* version);
LADDER_EXPORT ladder::cublas::Status cublasGetProperty(ladder::cublas::Property, int* value);
LADDER_EXPORT const char* cublasGetStatusName(ladder::cublas::Status);
LADDER_EXPORT const char* cublasGetStatusString(ladder::cublas::Status);

// -- Copies between host and device --------------------------------------------------------------------
LADDER_EXPORT ladder::cublas::Status cublasSetMatrix(int rows, int cols, int element_size, const void* host,
                                                     int host_ld, void* device, int device_ld);
LADDER_EXPORT ladder::cublas::Status cublasGetMatrix(int rows, int cols, int element_size, const void* device,
                                                     int device_ld, void* host, int host_ld);
LADDER_EXPORT ladder::cublas::Status cublasSetMatrixAsync(int rows, int cols, int element_size, const void* host,
                                                          int host_ld, void* device, int device_ld,
                                                          ladder::cublas::CudaStream);
LADDER_EXPORT ladder::cublas::Status cublasGetMatrixAsync(int rows, int cols, int element_size, const void* device,
                                                          int device_ld, void* host, int host_ld,
                                                          ladder::cublas::CudaStream);
LADDER_EXPORT ladder::cublas::Status cublasSetVector(int n, int element_size, const void* host, int host_step,
                                                     void* device, int device_step);
LADDER_EXPORT ladder::cublas::Status cublasGetVector(int n, int element_size, const void* device, int device_step,
                                                     void* host, int host_step);
LADDER_EXPORT ladder::cublas::Status cublasSetVectorAsync(int n, int element_size, const void* host, int host_step,
                                                          void* device, int device_step, ladder::cublas::CudaStream);
LADDER_EXPORT ladder::cublas::Status cublasGetVectorAsync(int n, int element_size, const void* device, int device_step,
                                                          void* host, int host_step, ladder::cublas::CudaStream);
