// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program, linked to cuBLAS and to nothing of ours, that says how precise a product has to be: by
// the handle's math mode, by the compute type of the call, by both. Each result must be as precise as was asked for.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "normal_values.hpp"

namespace {

constexpr int size = 256;
constexpr float alpha = 1.0f, beta = 0.0f;

// How far a product of two numbers may be off, relative to itself: both are rounded to so many bits first.
constexpr double as_fp32 = 0.0, as_tf32 = 1.0 / 512, as_bf16 = 1.0 / 64;

constexpr auto reduction = CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
constexpr auto with_flag(cublasMath_t mode) { return static_cast<cublasMath_t>(mode | reduction); }

struct Mode {
  const char* name;
  cublasMath_t math;
  double off;
};
const Mode modes[] = {{"default", CUBLAS_DEFAULT_MATH, as_fp32},
                      {"tensor cores, the old name", CUBLAS_TENSOR_OP_MATH, as_tf32},
                      {"pedantic", CUBLAS_PEDANTIC_MATH, as_fp32},
                      {"TF32", CUBLAS_TF32_TENSOR_OP_MATH, as_tf32},
                      {"default, with the flag", with_flag(CUBLAS_DEFAULT_MATH), as_fp32},
                      {"TF32, with the flag", with_flag(CUBLAS_TF32_TENSOR_OP_MATH), as_tf32}};

struct Type {
  const char* name;
  cublasComputeType_t compute;
  double off;
};
const Type types[] = {{"FP32 as the handle says", CUBLAS_COMPUTE_32F, as_fp32},
                      {"FP32 pedantic", CUBLAS_COMPUTE_32F_PEDANTIC, as_fp32},
                      {"TF32 allowed", CUBLAS_COMPUTE_32F_FAST_TF32, as_tf32},
                      {"halves allowed", CUBLAS_COMPUTE_32F_FAST_16F, as_tf32},
                      {"bfloat16 allowed", CUBLAS_COMPUTE_32F_FAST_16BF, as_bf16}};

const std::vector<float> a = normal(size * size, 1), b = normal(size * size, 2);
float *device_a = nullptr, *device_b = nullptr, *device_c = nullptr;

/// Largest |error| / (|A||B|), and NaN where an element is NaN.
double worst_error() {
  static const auto due = [] {
    std::vector<std::pair<double, double>> sums(size * size);
    for (int j = 0; j < size; ++j) {
      for (int i = 0; i < size; ++i) {
        for (int l = 0; l < size; ++l) {
          const double term =
              double(a[static_cast<std::size_t>(i + l * size)]) * b[static_cast<std::size_t>(l + j * size)];
          auto& [sum, magnitude] = sums[static_cast<std::size_t>(i + j * size)];
          sum += term, magnitude += std::fabs(term);
        }
      }
    }
    return sums;
  }();
  std::vector<float> c(size * size);
  cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0.0;
  for (std::size_t at = 0; at < c.size(); ++at) {
    const double error = std::fabs(c[at] - due[at].first) / due[at].second;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

int calls = 0, failures = 0;

void judge(const char* door, const char* how, cublasStatus_t status, double off) {
  const double error = worst_error();
  const double bound = off + (size + 4) * 6.0e-8;
  const bool right = status == CUBLAS_STATUS_SUCCESS && error <= bound;
  std::printf("%s, %s: status %d error %.2e bound %.2e %s\n", door, how, status, error, bound,
              right ? "right" : "WRONG");
  ++calls;
  if (!right) ++failures;
}

void multiply(cublasHandle_t handle, const char* how, double off) {
  cudaMemset(device_c, 0xff, size * size * sizeof(float));
  const cublasStatus_t status = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &alpha, device_a, size,
                                            device_b, size, &beta, device_c, size);
  judge("cublasSgemm", how, status, off);
}

void multiply_typed(cublasHandle_t handle, const Type& type, double off) {
  cudaMemset(device_c, 0xff, size * size * sizeof(float));
  const cublasStatus_t status =
      cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &alpha, device_a, CUDA_R_32F, size, device_b,
                   CUDA_R_32F, size, &beta, device_c, CUDA_R_32F, size, type.compute, CUBLAS_GEMM_DEFAULT);
  judge("cublasGemmEx", type.name, status, off);
}

float* on_device(const std::vector<float>& values) {
  float* memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(float));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  return memory;
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "app_modes: cublasCreate failed\n");
    return 1;
  }
  device_a = on_device(a), device_b = on_device(b), device_c = on_device(a);
  int allowed = 0;
  for (const Mode& mode : modes) {
    if (cublasSetMathMode(handle, mode.math) != CUBLAS_STATUS_SUCCESS) ++failures;
    multiply(handle, mode.name, mode.off);
    allowed += mode.off != as_fp32;
  }
  cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
  for (const Type& type : types) {
    multiply_typed(handle, type, type.off);
    allowed += type.off != as_fp32;
  }
  cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
  multiply_typed(handle, types[0], as_tf32);
  ++allowed;
  multiply_typed(handle, types[1], as_fp32);

  // None of these may change a result.
  cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
  constexpr std::size_t workspace_bytes = std::size_t{4} << 20;
  void* workspace = nullptr;
  cudaMalloc(&workspace, workspace_bytes);
  if (cublasSetWorkspace(handle, workspace, workspace_bytes) != CUBLAS_STATUS_SUCCESS) ++failures;
  multiply(handle, "a workspace of the caller's", as_fp32);
  if (cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED) != CUBLAS_STATUS_SUCCESS) ++failures;
  multiply(handle, "atomics allowed", as_fp32);
  cublasDestroy(handle);
  for (float* memory : {device_a, device_b, device_c}) cudaFree(memory);
  cudaFree(workspace);
  std::printf("allowed TF32 in %d of these\n", allowed);
  std::printf("called cuBLAS for FP32 %d times\n", calls);
  return failures == 0 ? 0 : 1;
}
