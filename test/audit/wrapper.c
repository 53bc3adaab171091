/* SPDX-License-Identifier: MIT */
/* A wrapper of a BLAS, like NVBLAS, FlexiBLAS or a profiler: has a sgemm_ of its own, which hands on to that of the
 * library that WRAPPED_BLAS names, got by dlsym from its own handle. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

typedef void Sgemm(const char*, const char*, const int*, const int*, const int*, const float*, const float*, const int*,
                   const float*, const int*, const float*, float*, const int*, size_t, size_t);

static int calls = 0;
int wrapper_calls(void) { return calls; }

void sgemm_(const char* op_a, const char* op_b, const int* m, const int* n, const int* k, const float* alpha,
            const float* a, const int* lda, const float* b, const int* ldb, const float* beta, float* c, const int* ldc,
            size_t op_a_length, size_t op_b_length) {
  void* blas = dlopen(getenv("WRAPPED_BLAS"), RTLD_NOW | RTLD_LOCAL);
  Sgemm* real = blas ? (Sgemm*)dlsym(blas, "sgemm_") : NULL;
  ++calls;
  if (real) real(op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, op_a_length, op_b_length);
}
