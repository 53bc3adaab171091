/* SPDX-License-Identifier: MIT */
/* Like a Python extension: opened RTLD_LOCAL, with a BLAS that only it depends on. */
void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);

float plugin_product(void) {
  const float a = 2, b = 3;
  float c = 0;
  cblas_sgemm(102, 111, 111, 1, 1, 1, 1.0f, &a, 1, &b, 1, 0.0f, &c, 1);
  return c;
}
