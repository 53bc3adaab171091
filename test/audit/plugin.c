/* SPDX-License-Identifier: MIT */
/* Like a Python extension: depends on a BLAS or a cuBLAS by name, and is opened in whatever way the program likes.
 * Each function makes one call and returns C; the right answer is 6. */
#include <stddef.h>

void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);
void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size_t op_a_length, size_t op_b_length);

float call_cblas(void) {
  const float a = 2, b = 3;
  float c = 0;
  cblas_sgemm(102, 111, 111, 1, 1, 1, 1.0f, &a, 1, &b, 1, 0.0f, &c, 1);
  return c;
}

float call_fortran(void) {
  const float a = 2, b = 3, one = 1, zero = 0;
  const int side = 1;
  float c = 0;
  sgemm_("N", "N", &side, &side, &side, &one, &a, &side, &b, &side, &zero, &c, &side, 1, 1);
  return c;
}

/* A function of the program's own that happens to have the name of a door. */
float sgemm(void) { return 1.5f; }
