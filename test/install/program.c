/* SPDX-License-Identifier: MIT */
/* A program against the installed tree: one product through sgemm_, and the public interface. */
#include <ladderblas/ladderblas.h>
#include <stdio.h>
#include <string.h>

extern void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
                   const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
                   const int* ldc);

enum { m = 2, n = 3, k = 2 };

int main(void) {
  const int rows = m, columns = n, inner = k;
  const float alpha = 1.0f, beta = 0.0f;
  const float a[m * k] = {1, 2, 3, 4};
  const float b[k * n] = {5, 6, 7, 8, 9, 10};
  const float expected[m * n] = {23, 34, 31, 46, 39, 58};
  float c[m * n];
  char version[32];

  sgemm_("N", "N", &rows, &columns, &inner, &alpha, a, &rows, b, &inner, &beta, c, &rows);
  if (memcmp(c, expected, sizeof c) != 0) {
    fprintf(stderr, "wrong product\n");
    return 1;
  }
  if (ladder_call_count("sgemm_", "5") != 1) {
    fprintf(stderr, "rung 5 did not serve the call: %s\n", ladder_last_error());
    return 1;
  }
  sprintf(version, "%d.%d.%d", LADDERBLAS_VERSION_MAJOR, LADDERBLAS_VERSION_MINOR, LADDERBLAS_VERSION_PATCH);
  if (strcmp(version, ladder_version()) != 0) {
    fprintf(stderr, "header %s, library %s\n", version, ladder_version());
    return 1;
  }
  return 0;
}
