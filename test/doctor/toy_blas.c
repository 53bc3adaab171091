/* SPDX-License-Identifier: MIT */
/* An SGEMM that computes, for programs that carry their own. */
#include <stddef.h>

static float element(char op, const float* matrix, int ld, int row, int column) {
  return op == 'N' || op == 'n' ? matrix[row + (size_t)column * ld] : matrix[column + (size_t)row * ld];
}

void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size_t op_a_length, size_t op_b_length) {
  (void)op_a_length, (void)op_b_length;
  for (int column = 0; column < *n; ++column) {
    for (int row = 0; row < *m; ++row) {
      float sum = 0;
      for (int i = 0; i < *k; ++i) sum += element(*op_a, a, *lda, row, i) * element(*op_b, b, *ldb, i, column);
      float* const result = &c[row + (size_t)column * *ldc];
      *result = *alpha * sum + (*beta == 0 ? 0 : *beta * *result);
    }
  }
}
