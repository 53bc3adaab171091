// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program, linked to cuBLAS and to nothing of ours: batched and typed products in FP32, checked
// against float64, and one in half precision, which must come out right whoever is in front of cuBLAS.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

namespace {

constexpr int m = 65, n = 33, k = 129, batch = 7;
constexpr long long stride_a = m * k + 3, stride_b = k * n, stride_c = m * n + 1;
constexpr float alpha = 1.5f, beta = -0.5f;

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : count_(values.size()) {
    cudaMalloc(&memory_, count_ * sizeof(T));
    cudaMemcpy(memory_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }

  T* data() const { return static_cast<T*>(memory_); }

  std::vector<T> values() const {
    std::vector<T> host(count_);
    cudaMemcpy(host.data(), memory_, count_ * sizeof(T), cudaMemcpyDeviceToHost);
    return host;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

std::vector<float> normal(long long count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
  return values;
}

const std::vector<float> a = normal(stride_a * batch, 1);
const std::vector<float> b = normal(stride_b * batch, 2);
const std::vector<float> c = normal(stride_c * batch, 3);

/// Largest |error| / bound of the first `products` products; a write elsewhere is infinite.
double worst_error(const std::vector<float>& result, int products) {
  double worst = 0.0;
  for (long long at = 0; at < stride_c * batch; ++at) {
    const long long product = at / stride_c, element = at % stride_c;
    const auto index = static_cast<std::size_t>(at);
    if (product >= products || element >= m * n) {
      if (result[index] != c[index]) return HUGE_VAL;
      continue;
    }
    double sum = 0.0, magnitude = 0.0;
    for (int l = 0; l < k; ++l) {
      const double x = a[static_cast<std::size_t>(product * stride_a + element % m + l * m)];
      const double y = b[static_cast<std::size_t>(product * stride_b + l + element / m * k)];
      sum += x * y;
      magnitude += std::fabs(x * y);
    }
    const double due = alpha * sum + beta * c[index];
    const double bound = (k + 4) * 6.0e-8 * (alpha * magnitude + std::fabs(beta * c[index]));
    const double error = std::fabs(result[index] - due) / bound;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

struct Call {
  const char* name;
  int products;
  std::function<cublasStatus_t(cublasHandle_t, const float*, const float*, float*)> make;
};

#define PRODUCT handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha
const Call calls[] = {
    {"cublasSgemmStridedBatched", batch,
     [](auto handle, auto x, auto y, auto z) {
       return cublasSgemmStridedBatched(PRODUCT, x, m, stride_a, y, k, stride_b, &beta, z, m, stride_c, batch);
     }},
    {"cublasGemmStridedBatchedEx", batch,
     [](auto handle, auto x, auto y, auto z) {
       return cublasGemmStridedBatchedEx(PRODUCT, x, CUDA_R_32F, m, stride_a, y, CUDA_R_32F, k, stride_b, &beta, z,
                                         CUDA_R_32F, m, stride_c, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
     }},
    {"cublasGemmEx", 1,
     [](auto handle, auto x, auto y, auto z) {
       return cublasGemmEx(PRODUCT, x, CUDA_R_32F, m, y, CUDA_R_32F, k, &beta, z, CUDA_R_32F, m,
                           CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT);
     }},
    {"cublasSgemmEx", 1,
     [](auto handle, auto x, auto y, auto z) {
       return cublasSgemmEx(PRODUCT, x, CUDA_R_32F, m, y, CUDA_R_32F, k, &beta, z, CUDA_R_32F, m);
     }},
    {"cublasSgemmStridedBatched_64", batch,
     [](auto handle, auto x, auto y, auto z) {
       return cublasSgemmStridedBatched_64(PRODUCT, x, m, stride_a, y, k, stride_b, &beta, z, m, stride_c, batch);
     }},
};

bool run(cublasHandle_t handle, const Call& call) {
  const DeviceArray device_a(a), device_b(b), device_c(c);
  const cublasStatus_t status = call.make(handle, device_a.data(), device_b.data(), device_c.data());
  const double error = worst_error(device_c.values(), call.products);
  const bool right = status == CUBLAS_STATUS_SUCCESS && error <= 1.0;
  std::printf("%s status %d error %.3f of its bound %s\n", call.name, status, error, right ? "right" : "WRONG");
  return right;
}

/// 16 x 16 x 16 of halves, all ones: every element is 16.
bool run_in_half_precision(cublasHandle_t handle) {
  constexpr int size = 16;
  const std::vector<__half> ones(size * size, __float2half(1.0f));
  const DeviceArray<__half> x(ones), y(ones), z(ones);
  const float one = 1.0f, zero = 0.0f;
  const cublasStatus_t status =
      cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, x.data(), CUDA_R_16F, size, y.data(),
                   CUDA_R_16F, size, &zero, z.data(), CUDA_R_16F, size, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  const auto result = z.values();
  const bool right = status == CUBLAS_STATUS_SUCCESS &&
                     std::all_of(result.begin(), result.end(), [](__half h) { return __half2float(h) == size; });
  std::printf("cublasGemmEx in half precision status %d %s\n", status, right ? "right" : "WRONG");
  return right;
}

}  // namespace

int main() {
  cublasHandle_t handle = nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    std::fprintf(stderr, "app_cublas_typed: cublasCreate failed\n");
    return 1;
  }
  bool right = run_in_half_precision(handle);
  for (const Call& call : calls) right = run(handle, call) && right;
  cublasDestroy(handle);
  std::printf("called cuBLAS for FP32 %zu times\n", std::size(calls));
  return right ? 0 : 1;
}
