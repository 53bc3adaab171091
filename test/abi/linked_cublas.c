/* SPDX-License-Identifier: MIT */
/* A cuBLAS program linked with -lladderblas alone: no cuBLAS, no CUDA on the link line. Under
 * LADDER_DEVICE=emulate its "device" memory is host memory. */
#include <stdio.h>
#include <stdlib.h>

/* As cublas_v2.h declares them. */
typedef struct cublasContext* cublasHandle_t;
int cublasCreate_v2(cublasHandle_t*);
int cublasDestroy_v2(cublasHandle_t);
int cublasSetMatrix(int rows, int cols, int element_size, const void* a, int lda, void* b, int ldb);
int cublasGetMatrix(int rows, int cols, int element_size, const void* a, int lda, void* b, int ldb);
int cublasSgemm_v2(cublasHandle_t, int op_a, int op_b, int m, int n, int k, const float* alpha, const float* a, int lda,
                   const float* b, int ldb, const float* beta, float* c, int ldc);

enum { M = 65, N = 33, K = 17, TRANSPOSE = 1 };

static float a[K * M], b[K * N], c[M * N]; /* A is stored transposed */

static int product(cublasHandle_t handle, float* device_a, float* device_b, float* device_c) {
  const float alpha = 1, beta = 0;
  if (cublasSetMatrix(K, M, sizeof(float), a, K, device_a, K) != 0) return 1;
  if (cublasSetMatrix(K, N, sizeof(float), b, K, device_b, K) != 0) return 1;
  if (cublasSgemm_v2(handle, TRANSPOSE, 0, M, N, K, &alpha, device_a, K, device_b, K, &beta, device_c, M) != 0)
    return 1;
  return cublasGetMatrix(M, N, sizeof(float), device_c, M, c, M);
}

int main(void) {
  cublasHandle_t handle;
  float* memory = malloc((K * M + K * N + M * N) * sizeof(float));
  int i, wrong = 0;
  for (i = 0; i < K * M; ++i) a[i] = 1.0f;
  for (i = 0; i < K * N; ++i) b[i] = 1.0f;
  if (memory == NULL || cublasCreate_v2(&handle) != 0) return 1;
  if (product(handle, memory, memory + K * M, memory + K * M + K * N) != 0) return 1;
  for (i = 0; i < M * N; ++i) wrong += !(c[i] == (float)K);
  printf("%d wrong elements of %d\n", wrong, M * N);
  free(memory);
  return cublasDestroy_v2(handle) != 0 || wrong != 0;
}
