/* SPDX-License-Identifier: MIT */
/* A CPU BLAS that computes nothing: it leaves a mark in C. Like Netlib's, its cblas_sgemm calls sgemm_
 * through the PLT, where whoever interposes sgemm_ gets the call. */
#include "fake_blas.h"

#include <stddef.h>

static int cblas_calls = 0;
static int fortran_calls = 0;

int fake_blas_cblas_calls(void) { return cblas_calls; }
int fake_blas_fortran_calls(void) { return fortran_calls; }

void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size_t op_a_length, size_t op_b_length);

void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
  (void)order, (void)op_a, (void)op_b;
  ++cblas_calls;
  sgemm_("N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc, 1, 1);
}

void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size_t op_a_length, size_t op_b_length) {
  (void)op_a, (void)op_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  (void)beta, (void)ldc, (void)op_a_length, (void)op_b_length;
  ++fortran_calls;
  c[0] = FAKE_BLAS_MARK;
}
