/* SPDX-License-Identifier: MIT */
/* One legal product, one illegal one, no error handler: what the library says is looked at by say.py. */
#include "fake_blas.h"

void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);
void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
            const int* ldc);

int main(void) {
  const float a = 2, b = 3, alpha = 1, beta = 0;
  const int one = 1, wrong = -1;
  float c = 0;
  sgemm_("N", "T", &one, &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one);
  const float product = c;
  if (product != 6.0f && product != FAKE_BLAS_MARK) return 1;
  sgemm_("N", "T", &one, &wrong, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one);
  cblas_sgemm(101, 111, 111, 1, 1, 1, alpha, &a, 0, &b, 1, beta, &c, 1);
  return c == product ? 0 : 1;
}
