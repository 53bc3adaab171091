/* SPDX-License-Identifier: MIT */
/* Calls TOY_CALL three times with a 1 x 1 product, the way Fortran does. With the argument `idle` it does not, and with
 * `fail` it then ends with exit code 7. */
#include <stddef.h>
#include <string.h>

void TOY_CALL(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
              const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c,
              const int* ldc, size_t op_a_length, size_t op_b_length);

int main(int argc, char** argv) {
  const int one = 1;
  const float a = 2, b = 3, alpha = 1, beta = 0;
  float c = 0;
  int calls = argc > 1 && strcmp(argv[1], "idle") == 0 ? 0 : 3;
  for (; calls > 0; --calls) {
    TOY_CALL("N", "N", &one, &one, &one, &alpha, &a, &one, &b, &one, &beta, &c, &one, 1, 1);
  }
  return argc > 1 && strcmp(argv[1], "fail") == 0 ? 7 : 0;
}
