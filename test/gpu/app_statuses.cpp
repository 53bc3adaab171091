// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program that makes every bad call of cublasSgemm and its batched and typed relatives, and the odd
// but legal ones, and prints the status of each and what became of C. What it prints must not depend on who serves it.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

namespace {

constexpr int size = 8;
constexpr int count = size * size;
constexpr float c_before = 5.0f;

struct Call {
  cublasOperation_t op_a = CUBLAS_OP_N, op_b = CUBLAS_OP_N;
  int m = size, n = size, k = size;
  float alpha_value = 1.0f, beta_value = 2.0f;
  const float* alpha = &alpha_value;
  const float* a = nullptr;
  int lda = size;
  const float* b = nullptr;
  int ldb = size;
  const float* beta = &beta_value;
  float* c = nullptr;
  int ldc = size;
  int batch = 1;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasGemmAlgo_t algorithm = CUBLAS_GEMM_DEFAULT;
};

struct Door {
  const char* name;
  cublasStatus_t (*call)(cublasHandle_t, const Call&);
};

const Door doors[] = {
    {"Sgemm",
     [](cublasHandle_t handle, const Call& x) {
       return cublasSgemm(handle, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha, x.a, x.lda, x.b, x.ldb, x.beta, x.c, x.ldc);
     }},
    {"SgemmStridedBatched",
     [](cublasHandle_t handle, const Call& x) {
       return cublasSgemmStridedBatched(handle, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha, x.a, x.lda, count, x.b, x.ldb,
                                        count, x.beta, x.c, x.ldc, count, x.batch);
     }},
    {"GemmEx",
     [](cublasHandle_t handle, const Call& x) {
       return cublasGemmEx(handle, x.op_a, x.op_b, x.m, x.n, x.k, x.alpha, x.a, CUDA_R_32F, x.lda, x.b, CUDA_R_32F,
                           x.ldb, x.beta, x.c, CUDA_R_32F, x.ldc, x.compute, x.algorithm);
     }},
};

struct Oddity {
  const char* what;
  std::function<void(Call&)> make;
  bool fatal = false;  ///< left out behind the other doors than cublasSgemm: cuBLAS itself crashed among these
};

const Oddity oddities[] = {
    {"plain", [](Call&) {}},
    {"op A unknown", [](Call& x) { x.op_a = static_cast<cublasOperation_t>(9); }},
    {"op B unknown", [](Call& x) { x.op_b = static_cast<cublasOperation_t>(9); }},
    {"op A conjugate, no transpose", [](Call& x) { x.op_a = CUBLAS_OP_CONJG; }},
    {"op A conjugate transpose", [](Call& x) { x.op_a = CUBLAS_OP_C; }},
    {"m < 0", [](Call& x) { x.m = -1; }},
    {"n < 0", [](Call& x) { x.n = -1; }},
    {"k < 0", [](Call& x) { x.k = -1; }},
    {"lda small", [](Call& x) { x.lda = size - 1; }},
    {"lda 0", [](Call& x) { x.lda = 0; }},
    {"ldb small", [](Call& x) { x.ldb = size - 1; }},
    {"ldc small", [](Call& x) { x.ldc = size - 1; }},
    {"lda small, m = 0", [](Call& x) { x.m = 0, x.lda = 0; }},
    {"ldb small, k = 0", [](Call& x) { x.k = 0, x.ldb = 0; }},
    {"alpha null", [](Call& x) { x.alpha = nullptr; }, true},
    {"beta null", [](Call& x) { x.beta = nullptr; }, true},
    {"A null", [](Call& x) { x.a = nullptr; }, true},
    {"B null", [](Call& x) { x.b = nullptr; }, true},
    {"m = 0", [](Call& x) { x.m = 0; }},
    {"n = 0", [](Call& x) { x.n = 0; }},
    {"k = 0", [](Call& x) { x.k = 0; }},
    {"k = 0, A and B null", [](Call& x) { x.k = 0, x.a = nullptr, x.b = nullptr; }},
    {"alpha = 0, A and B null", [](Call& x) { x.alpha_value = 0.0f, x.a = nullptr, x.b = nullptr; }},
    {"alpha = 0, beta = 1", [](Call& x) { x.alpha_value = 0.0f, x.beta_value = 1.0f; }},
    {"C null, m = 0", [](Call& x) { x.m = 0, x.c = nullptr; }},
    {"beta = 0", [](Call& x) { x.beta_value = 0.0f; }},
    {"batch < 0", [](Call& x) { x.batch = -1; }},
    {"batch 0", [](Call& x) { x.batch = 0; }},
    {"algorithm unknown", [](Call& x) { x.algorithm = static_cast<cublasGemmAlgo_t>(4711); }},
    {"compute type of halves", [](Call& x) { x.compute = CUBLAS_COMPUTE_16F; }},
    {"pedantic", [](Call& x) { x.compute = CUBLAS_COMPUTE_32F_PEDANTIC; }},
    {"beta NaN", [](Call& x) { x.beta_value = std::numeric_limits<float>::quiet_NaN(); }},
};

float* device_array(float value) {
  const std::vector<float> host(count, value);
  float* device = nullptr;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

void make_call(cublasHandle_t handle, const Door& door, const Oddity& oddity) {
  Call x;
  float* const a = device_array(1.0f);
  float* const b = device_array(0.5f);
  float* const c = device_array(c_before);
  x.a = a, x.b = b, x.c = c;
  oddity.make(x);
  const cublasStatus_t status = door.call(handle, x);
  float first = 0.0f;
  const cudaError_t error = cudaMemcpy(&first, c, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("status of %s, %s: %d cuda %d C(0,0) %g\n", door.name, oddity.what, status, error, first);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  for (const Door& door : doors) {
    for (const Oddity& oddity : oddities) {
      if (!oddity.fatal || &door == &doors[0]) make_call(handle, door, oddity);
    }
    make_call(nullptr, door, {"handle null", [](Call&) {}});
  }
  cublasDestroy(handle);
  return 0;
}
