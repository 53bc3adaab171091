/* SPDX-License-Identifier: MIT */
/* Linked to a cuBLAS with versioned symbols, as programs are. Run under LD_PRELOAD with LADDER_RUNG=0:
 * the product must come through libladderblas and then reach that cuBLAS, once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cublasContext* Handle;
int cublasCreate_v2(Handle*);
int cublasSgemm_v2(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);
const int* fake_cublas_recorded(void); /* its first member counts the calls */

int main(void) {
  Handle handle;
  const float one = 1, zero = 0, a[1] = {1}, b[1] = {1};
  float c[1];
  uint64_t (*count)(const char*, const char*);
  *(void**)&count = dlsym(RTLD_DEFAULT, "ladder_call_count");
  if (count == NULL) {
    fprintf(stderr, "libladderblas is not in this process\n");
    return 1;
  }
  if (cublasCreate_v2(&handle) != 0) return 1;
  if (cublasSgemm_v2(handle, 0, 0, 1, 1, 1, &one, a, 1, b, 1, &zero, c, 1) != 0) return 1;
  if (count("cublasSgemm_v2", "0") != 1 || *fake_cublas_recorded() != 1) {
    fprintf(stderr, "intercepted %d, real calls %d\n", (int)count("cublasSgemm_v2", "0"), *fake_cublas_recorded());
    return 1;
  }
  return 0;
}
