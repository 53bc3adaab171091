// SPDX-License-Identifier: MIT
// An ordinary cuBLAS program, linked to cuBLAS and to nothing of ours: batched and typed products in FP32 through every
// door, checked against float64, and one in half precision, which must come out right whoever is in front of cuBLAS.
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

#include "normal_values.hpp"

namespace {

constexpr int m = 65, n = 33, k = 129, batch = 7;
constexpr long long stride_a = m * k + 3, stride_b = k * n, stride_c = m * n + 1;
constexpr float alpha = 1.5f, beta = -0.5f, zero = 0.0f;

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

/// `count` addresses, a stride apart.
template <class T>
std::vector<T*> addresses(T* first, long long stride, int count) {
  std::vector<T*> all;
  for (int i = 0; i < count; ++i) all.push_back(first + i * stride);
  return all;
}

/// What a door is handed: a batch as matrices a stride apart, and as arrays of addresses.
struct Operands {
  const float* alpha;
  const float* beta;
  const float* a;
  const float* b;
  float* c;
  const float* const* a_array;
  const float* const* b_array;
  float* const* c_array;
};

/// How the products are asked for.
struct Manner {
  const char* name;
  cublasPointerMode_t scalars = CUBLAS_POINTER_MODE_HOST;
  bool c_is_read = true;  ///< false: beta = 0, and C is full of NaN
  int shift = 0;          ///< elements by which every matrix misses the alignment of cudaMalloc
};
constexpr Manner manners[] = {{"plainly"},
                              {"scalars on the device", CUBLAS_POINTER_MODE_DEVICE},
                              {"C of NaN, beta 0", CUBLAS_POINTER_MODE_HOST, false},
                              {"C of NaN, beta 0 on the device", CUBLAS_POINTER_MODE_DEVICE, false},
                              {"misaligned", CUBLAS_POINTER_MODE_HOST, true, 1}};

struct Door {
  const char* name;
  int products;
  cublasStatus_t (*call)(cublasHandle_t, const Operands&);
};

#define DOOR(name, products, ...)                                                 \
  Door(#name, products, [](cublasHandle_t handle, const Operands& x) {            \
    return name(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, x.alpha, __VA_ARGS__); \
  })
#define FP32_A x.a, CUDA_R_32F, m
#define FP32_B x.b, CUDA_R_32F, k
#define FP32_C x.c, CUDA_R_32F, m
#define A_ARRAY reinterpret_cast<const void* const*>(x.a_array)
#define B_ARRAY reinterpret_cast<const void* const*>(x.b_array)
#define C_ARRAY reinterpret_cast<void* const*>(x.c_array)
#define DOORS(suffix)                                                                                                  \
  DOOR(cublasSgemmStridedBatched##suffix, batch, x.a, m, stride_a, x.b, k, stride_b, x.beta, x.c, m, stride_c, batch), \
      DOOR(cublasSgemmBatched##suffix, batch, x.a_array, m, x.b_array, k, x.beta, x.c_array, m, batch),                \
      DOOR(cublasSgemmEx##suffix, 1, FP32_A, FP32_B, x.beta, FP32_C),                                                  \
      DOOR(cublasGemmEx##suffix, 1, FP32_A, FP32_B, x.beta, FP32_C, CUBLAS_COMPUTE_32F_PEDANTIC, CUBLAS_GEMM_DEFAULT), \
      DOOR(cublasGemmStridedBatchedEx##suffix, batch, FP32_A, stride_a, FP32_B, stride_b, x.beta, FP32_C, stride_c,    \
           batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),                                                            \
      DOOR(cublasGemmBatchedEx##suffix, batch, A_ARRAY, CUDA_R_32F, m, B_ARRAY, CUDA_R_32F, k, x.beta, C_ARRAY,        \
           CUDA_R_32F, m, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT)
const Door doors[] = {DOORS(), DOORS(_64)};

const std::vector<float> a = normal(stride_a * batch + 1, 1);
const std::vector<float> b = normal(stride_b * batch + 1, 2);
const std::vector<float> c = normal(stride_c * batch + 1, 3);

/// alpha * op(A) op(B) of every element of C with the matrices shifted, and the same of the absolute values.
struct Expected {
  std::vector<double> product, magnitude;

  explicit Expected(int shift) : product(c.size()), magnitude(c.size()) {
    for (long long p = 0; p < batch; ++p) {
      for (int element = 0; element < m * n; ++element) add(p, element, shift);
    }
  }

 private:
  void add(long long p, int element, int shift) {
    const auto at = static_cast<std::size_t>(shift + p * stride_c + element);
    for (int l = 0; l < k; ++l) {
      const double term = double(a[static_cast<std::size_t>(shift + p * stride_a + element % m + l * m)]) *
                          b[static_cast<std::size_t>(shift + p * stride_b + l + element / m * k)];
      product[at] += alpha * term;
      magnitude[at] += alpha * std::fabs(term);
    }
  }
};
const Expected expected[] = {Expected(0), Expected(1)};

/// Largest |error| / bound of the first `products` products; a write elsewhere is infinite.
double worst_error(const std::vector<float>& before, const std::vector<float>& after, const Manner& manner,
                   int products) {
  const Expected& due = expected[manner.shift];
  double worst = 0.0;
  for (std::size_t at = 0; at < after.size(); ++at) {
    const long long place = static_cast<long long>(at) - manner.shift;
    if (place < 0 || place >= products * stride_c || place % stride_c >= m * n) {
      if (std::memcmp(&before[at], &after[at], sizeof(float)) != 0) return HUGE_VAL;
      continue;
    }
    const double old_c = manner.c_is_read ? double(beta) * before[at] : 0.0;
    const double bound = (k + 4) * 6.0e-8 * (due.magnitude[at] + std::fabs(old_c));
    const double error = std::fabs(after[at] - (due.product[at] + old_c)) / bound;
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

bool run(cublasHandle_t handle, const Door& door, const Manner& manner) {
  const float beta_value = manner.c_is_read ? beta : zero;
  std::vector<float> before = c;
  if (!manner.c_is_read) std::fill(before.begin(), before.end(), std::numeric_limits<float>::quiet_NaN());
  const DeviceArray<float> device_a(a), device_b(b), device_c(before), scalars({alpha, beta_value});
  const float* const first_a = device_a.data() + manner.shift;
  const float* const first_b = device_b.data() + manner.shift;
  float* const first_c = device_c.data() + manner.shift;
  const DeviceArray<const float*> a_array(addresses(first_a, stride_a, batch));
  const DeviceArray<const float*> b_array(addresses(first_b, stride_b, batch));
  const DeviceArray<float*> c_array(addresses(first_c, stride_c, batch));
  const bool on_device = manner.scalars == CUBLAS_POINTER_MODE_DEVICE;
  cublasSetPointerMode(handle, manner.scalars);
  const cublasStatus_t status =
      door.call(handle, {on_device ? scalars.data() : &alpha, on_device ? scalars.data() + 1 : &beta_value, first_a,
                         first_b, first_c, a_array.data(), b_array.data(), c_array.data()});
  const double error = worst_error(before, device_c.values(), manner, door.products);
  const bool right = status == CUBLAS_STATUS_SUCCESS && error <= 1.0;
  std::printf("%s, %s: status %d error %.3f of its bound %s\n", door.name, manner.name, status, error,
              right ? "right" : "WRONG");
  return right;
}

/// More products than one layer of a grid holds, so small that their sums are exact: every A is full of 2, every B
/// of 3.
bool run_many(cublasHandle_t handle, bool by_arrays) {
  constexpr int count = 70000, rows = 3, columns = 2, depth = 5;
  constexpr float due = 2.0f * 3.0f * depth;
  cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
  const float one = 1.0f;
  const DeviceArray<float> x(std::vector<float>(count * rows * depth, 2.0f));
  const DeviceArray<float> y(std::vector<float>(count * depth * columns, 3.0f));
  const DeviceArray<float> z(std::vector<float>(count * rows * columns, 1.0f));
  const DeviceArray<float*> x_array(addresses(x.data(), rows * depth, count));
  const DeviceArray<float*> y_array(addresses(y.data(), depth * columns, count));
  const DeviceArray<float*> z_array(addresses(z.data(), rows * columns, count));
  const cublasStatus_t status =
      by_arrays ? cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, depth, &one, x_array.data(), rows,
                                     y_array.data(), depth, &one, z_array.data(), rows, count)
                : cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, depth, &one, x.data(),
                                            rows, rows * depth, y.data(), depth, depth * columns, &one, z.data(), rows,
                                            rows * columns, count);
  const auto result = z.values();
  const bool right = status == CUBLAS_STATUS_SUCCESS &&
                     std::all_of(result.begin(), result.end(), [](float value) { return value == due + 1.0f; });
  std::printf("%d products %s status %d %s\n", count, by_arrays ? "by arrays" : "a stride apart", status,
              right ? "right" : "WRONG");
  return right;
}

/// 16 x 16 x 16 of halves, all ones: every element is 16.
bool run_in_half_precision(cublasHandle_t handle) {
  constexpr int size = 16;
  const std::vector<__half> ones(size * size, __float2half(1.0f));
  const DeviceArray<__half> x(ones), y(ones), z(ones);
  const float one = 1.0f;
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
  std::size_t calls = 0;
  for (const Door& door : doors) {
    for (const Manner& manner : manners) right = run(handle, door, manner) && right, ++calls;
  }
  for (const bool by_arrays : {false, true}) right = run_many(handle, by_arrays) && right, ++calls;
  cublasDestroy(handle);
  std::printf("called cuBLAS for FP32 %zu times\n", calls);
  return right ? 0 : 1;
}
