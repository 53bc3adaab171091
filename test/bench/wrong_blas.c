/* SPDX-License-Identifier: MIT */
/* A BLAS with one fault, which the environment variable WRONG_BLAS names. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* fault(void) {
  const char* name = getenv("WRONG_BLAS");
  return name ? name : "";
}

static int calls = 0;

static void compute(const int* m, const int* n, float* c, const int* ldc) {
  if (strcmp(fault(), "unwritten") == 0) return;
  ++calls;
  if (strcmp(fault(), "dies") == 0) abort();
  if (strcmp(fault(), "dies later") == 0 && calls > 2) abort();
  if (strcmp(fault(), "ends") == 0) exit(3);
  while (strcmp(fault(), "silent") == 0) sleep(1);
  while (strcmp(fault(), "babbles") == 0) puts("nothing that you asked for");
  for (int j = 0; j < *n; ++j) {
    for (int i = 0; i < *m; ++i) c[i + (ptrdiff_t)j * *ldc] = 4242.0f;
  }
}

void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size_t op_a_length, size_t op_b_length) {
  (void)op_a, (void)op_b, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta;
  (void)op_a_length, (void)op_b_length;
  compute(m, n, c, ldc);
}

void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc) {
  (void)order, (void)op_a, (void)op_b, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb, (void)beta;
  compute(&m, &n, c, &ldc);
}
