/* SPDX-License-Identifier: MIT */
/* A BLAS program linked with -lladderblas alone, calling it both ways. */
#include <stdio.h>

void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);
void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);

enum { M = 65, N = 33, K = 17, ROW_MAJOR = 101, NO_TRANS = 111 };

static float a[M * K], b[K * N], c[M * N];

static int wrong_elements(void) {
  int i, wrong = 0;
  for (i = 0; i < M * N; ++i) wrong += !(c[i] == (float)K);
  return wrong;
}

int main(void) {
  const int m = M, n = N, k = K;
  const float alpha = 1, beta = 0;
  int i, wrong;
  for (i = 0; i < M * K; ++i) a[i] = 1.0f;
  for (i = 0; i < K * N; ++i) b[i] = 1.0f;
  sgemm_("N", "N", &m, &n, &k, &alpha, a, &m, b, &k, &beta, c, &m);
  wrong = wrong_elements();
  for (i = 0; i < M * N; ++i) c[i] = -1.0f;
  cblas_sgemm(ROW_MAJOR, NO_TRANS, NO_TRANS, M, N, K, 1.0f, a, K, b, N, 0.0f, c, N);
  wrong += wrong_elements();
  printf("%d wrong elements of %d\n", wrong, 2 * M * N);
  return wrong != 0;
}
