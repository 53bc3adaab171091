/* SPDX-License-Identifier: MIT */
/* The same for a cuBLAS, whose handle it makes itself. */
typedef struct cublasContext* Handle;
int cublasCreate_v2(Handle*);
int cublasSgemm_v2(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int, const float*,
                   float*, int);

/* The status, or -1 without a handle. */
float call_cublas(void) {
  Handle handle;
  const float one = 1, zero = 0, a = 2, b = 3;
  float c = 0;
  if (cublasCreate_v2(&handle) != 0) return -1;
  return (float)cublasSgemm_v2(handle, 0, 0, 1, 1, 1, &one, &a, 1, &b, 1, &zero, &c, 1);
}
