// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program, linked to cuBLAS and to nothing of ours: it multiplies, checks itself against
// float64 and prints how often it called cublasSgemm.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "normal_values.hpp"

namespace {

struct Case {
  cublasOperation_t op_a, op_b;
  int m, n, k;
  float alpha, beta;
};

constexpr Case cases[] = {{CUBLAS_OP_N, CUBLAS_OP_N, 300, 200, 100, 1.0f, 0.0f},
                          {CUBLAS_OP_T, CUBLAS_OP_N, 257, 131, 77, 1.5f, 0.0f},
                          {CUBLAS_OP_N, CUBLAS_OP_T, 512, 512, 64, -1.0f, 0.5f},
                          {CUBLAS_OP_T, CUBLAS_OP_T, 31, 33, 65, 1.0f, 1.0f},
                          {CUBLAS_OP_N, CUBLAS_OP_N, 1001, 999, 1003, 1.0f, 0.0f}};

float* upload(const std::vector<float>& values) {
  float* device = nullptr;
  if (cudaMalloc(&device, values.size() * sizeof(float)) != cudaSuccess) return nullptr;
  cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

// Largest |error| / (|alpha| |A||B| + |beta||C|) over the elements of C; NaN when one is NaN.
double worst_error(const Case& t, const std::vector<float>& a, const std::vector<float>& b,
                   const std::vector<float>& before, const std::vector<float>& after) {
  double worst = 0.0;
  for (int j = 0; j < t.n; ++j) {
    for (int i = 0; i < t.m; ++i) {
      double sum = 0.0;
      double magnitude = 0.0;
      for (int l = 0; l < t.k; ++l) {
        const double x = t.op_a == CUBLAS_OP_N ? a[i + std::size_t(l) * t.m] : a[l + std::size_t(i) * t.k];
        const double y = t.op_b == CUBLAS_OP_N ? b[l + std::size_t(j) * t.k] : b[j + std::size_t(l) * t.n];
        sum += x * y;
        magnitude += std::fabs(x * y);
      }
      const std::size_t at = i + std::size_t(j) * t.m;
      const double expected = t.alpha * sum + t.beta * before[at];
      const double scale = std::fabs(t.alpha) * magnitude + std::fabs(t.beta * before[at]);
      const double error = std::fabs(after[at] - expected) / scale;
      if (!(error <= worst) && !std::isnan(worst)) worst = error;
    }
  }
  return worst;
}

bool run(cublasHandle_t handle, const Case& t) {
  const auto a = normal(std::size_t(t.m) * t.k, 1);
  const auto b = normal(std::size_t(t.k) * t.n, 2);
  const auto c = normal(std::size_t(t.m) * t.n, 3);
  float* const device_a = upload(a);
  float* const device_b = upload(b);
  float* const device_c = upload(c);
  const cublasStatus_t status =
      cublasSgemm(handle, t.op_a, t.op_b, t.m, t.n, t.k, &t.alpha, device_a, t.op_a == CUBLAS_OP_N ? t.m : t.k,
                  device_b, t.op_b == CUBLAS_OP_N ? t.k : t.n, &t.beta, device_c, t.m);
  std::vector<float> result(c.size());
  const cudaError_t copied = cudaMemcpy(result.data(), device_c, result.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  const double error = worst_error(t, a, b, c, result);
  const double bound = (t.k + 4) * 6.0e-8;  // gamma_k and the roundings of alpha and beta
  const bool right = status == CUBLAS_STATUS_SUCCESS && copied == cudaSuccess && error <= bound;
  std::printf("%dx%dx%d status %d error %.2e bound %.2e %s\n", t.m, t.n, t.k, status, error, bound,
              right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "app_cublas: cublasCreate failed\n");
    return 1;
  }
  bool right = true;
  for (const Case& t : cases) right = run(handle, t) && right;
  cublasDestroy(handle);
  std::printf("called cublasSgemm %zu times\n", std::size(cases));
  return right ? 0 : 1;
}
