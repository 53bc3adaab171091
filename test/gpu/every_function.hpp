// SPDX-License-Identifier: MIT
// Every function of cuBLAS and cuBLASLt that multiplies in FP32, on matrices of small integers, so that every result is
// exact. For programs that are linked to nothing of ours.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <vector>

inline constexpr int m = 64, n = 64, k = 4096, batch = 3;
inline constexpr int size_a = m * k, size_b = k * n, size_c = m * n;

/// Ends the program where nothing that follows would make sense.
inline void need(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s failed\n", what);
  std::exit(1);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  void* memory = nullptr;
  need(cudaMalloc(&memory, values.size() * sizeof(T)) == cudaSuccess, "cudaMalloc");
  need(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess, "upload");
  need(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");  // streams of any kind may read it now
  return static_cast<T*>(memory);
}

inline std::vector<float> small_integers(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> distribution(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(distribution(generator));
  return values;
}

inline const std::vector<float> host_a = small_integers(size_a * batch, 1);
inline const std::vector<float> host_b = small_integers(size_b * batch, 2);

/// A times B, all products of the batch.
inline std::vector<float> products() {
  std::vector<float> sums(size_c * batch);
  for (int at = 0; at < size_c * batch; ++at) {
    const int product = at / size_c, row = at % m, column = at % size_c / m;
    int sum = 0;
    for (int l = 0; l < k; ++l) {
      sum += static_cast<int>(host_a[product * size_a + row + l * m]) *
             static_cast<int>(host_b[product * size_b + l + column * k]);
    }
    sums[at] = static_cast<float>(sum);
  }
  return sums;
}

/// cuBLASLt's description of the first product.
struct LtProduct {
  LtProduct() {
    need(cublasLtCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasLtCreate");
    cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, m, k, m);
    cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, k, n, k);
    cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, m, n, m);
  }
  LtProduct(const LtProduct&) = delete;
  LtProduct& operator=(const LtProduct&) = delete;
  ~LtProduct() {
    for (cublasLtMatrixLayout_t layout : {a, b, c}) cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(operation);
    cublasLtDestroy(handle);
  }

  void set_pointer_mode(cublasLtPointerMode_t mode) const {
    cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode);
  }

  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
};

/// Handles on a stream, and matrices of their own. C counts from 0.
struct Site {
  explicit Site(cudaStream_t stream) : stream(stream) {
    need(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS, "cublasCreate");
    need(cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS, "cublasSetStream");
    std::vector<float*> addresses[3];
    float* const matrices[] = {a, b, c};
    constexpr int sizes[] = {size_a, size_b, size_c};
    for (int matrix = 0; matrix < 3; ++matrix)
      for (int i = 0; i < batch; ++i) addresses[matrix].push_back(matrices[matrix] + i * sizes[matrix]);
    for (int matrix = 0; matrix < 3; ++matrix) arrays[matrix] = on_device(addresses[matrix]);
  }
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;
  ~Site() {
    cublasDestroy(handle);
    for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) cudaFree(memory);
    for (float** array : arrays) cudaFree(array);
  }

  void set_pointer_mode(bool device) const {
    cublasSetPointerMode(handle, device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
    lt.set_pointer_mode(device ? CUBLASLT_POINTER_MODE_DEVICE : CUBLASLT_POINTER_MODE_HOST);
  }

  cudaStream_t stream;
  cublasHandle_t handle = nullptr;
  LtProduct lt;
  float* a = on_device(host_a);
  float* b = on_device(host_b);
  float* c = on_device(std::vector<float>(size_c * batch));
  float** arrays[3] = {};
};

/// C := alpha A B + beta C, of so many products.
struct Function {
  const char* name;
  int products;
  cublasStatus_t (*call)(const Site&, const float* alpha, const float* beta);
};

inline constexpr auto real = CUDA_R_32F;
inline constexpr auto compute = CUBLAS_COMPUTE_32F;
inline constexpr auto algorithm = CUBLAS_GEMM_DEFAULT;
inline constexpr auto no_op = CUBLAS_OP_N;

template <auto GEMM>
cublasStatus_t plain(const Site& s, const float* alpha, const float* beta) {
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, s.a, m, s.b, k, beta, s.c, m);
}

template <auto GEMM>
cublasStatus_t strided(const Site& s, const float* alpha, const float* beta) {
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, s.a, m, size_a, s.b, k, size_b, beta, s.c, m, size_c, batch);
}

template <auto GEMM>
cublasStatus_t arrays(const Site& s, const float* alpha, const float* beta) {
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, s.arrays[0], m, s.arrays[1], k, beta, s.arrays[2], m, batch);
}

template <auto GEMM>
cublasStatus_t typed(const Site& s, const float* alpha, const float* beta) {
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, s.a, real, m, s.b, real, k, beta, s.c, real, m);
}

template <auto GEMM>
cublasStatus_t typed_sums(const Site& s, const float* alpha, const float* beta) {
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, s.a, real, m, s.b, real, k, beta, s.c, real, m, compute,
              algorithm);
}

template <auto GEMM>
cublasStatus_t typed_strided(const Site& s, const float* alpha, const float* beta) {
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, s.a, real, m, size_a, s.b, real, k, size_b, beta, s.c, real, m,
              size_c, batch, compute, algorithm);
}

template <auto GEMM>
cublasStatus_t typed_arrays(const Site& s, const float* alpha, const float* beta) {
  const auto untyped = [&](int matrix) { return reinterpret_cast<void**>(s.arrays[matrix]); };
  return GEMM(s.handle, no_op, no_op, m, n, k, alpha, untyped(0), real, m, untyped(1), real, k, beta, untyped(2), real,
              m, batch, compute, algorithm);
}

inline cublasStatus_t lt_matmul(const Site& s, const float* alpha, const float* beta) {
  return cublasLtMatmul(s.lt.handle, s.lt.operation, alpha, s.a, s.lt.a, s.b, s.lt.b, beta, s.c, s.lt.c, s.c, s.lt.c,
                        nullptr, nullptr, 0, s.stream);
}

// Some names are overloaded: which one it is follows from the arguments.
#define CALL_OF(gemm) [](auto... x) { return gemm(x...); }

inline constexpr Function functions[] = {
    {"cublasSgemm", 1, plain<CALL_OF(cublasSgemm)>},
    {"cublasSgemm_64", 1, plain<CALL_OF(cublasSgemm_64)>},
    {"cublasSgemmEx", 1, typed<CALL_OF(cublasSgemmEx)>},
    {"cublasSgemmEx_64", 1, typed<CALL_OF(cublasSgemmEx_64)>},
    {"cublasGemmEx", 1, typed_sums<CALL_OF(cublasGemmEx)>},
    {"cublasGemmEx_64", 1, typed_sums<CALL_OF(cublasGemmEx_64)>},
    {"cublasSgemmStridedBatched", batch, strided<CALL_OF(cublasSgemmStridedBatched)>},
    {"cublasSgemmStridedBatched_64", batch, strided<CALL_OF(cublasSgemmStridedBatched_64)>},
    {"cublasGemmStridedBatchedEx", batch, typed_strided<CALL_OF(cublasGemmStridedBatchedEx)>},
    {"cublasGemmStridedBatchedEx_64", batch, typed_strided<CALL_OF(cublasGemmStridedBatchedEx_64)>},
    {"cublasSgemmBatched", batch, arrays<CALL_OF(cublasSgemmBatched)>},
    {"cublasSgemmBatched_64", batch, arrays<CALL_OF(cublasSgemmBatched_64)>},
    {"cublasGemmBatchedEx", batch, typed_arrays<CALL_OF(cublasGemmBatchedEx)>},
    {"cublasGemmBatchedEx_64", batch, typed_arrays<CALL_OF(cublasGemmBatchedEx_64)>},
    {"cublasLtMatmul", 1, lt_matmul},
};

#undef CALL_OF

inline constexpr int function_count = std::size(functions);

inline const float one = 1.0f;

inline std::atomic<int> calls_made{0};  // by any thread

inline bool make(const Function& function, const Site& site, const float* alpha, const float* beta) {
  ++calls_made;
  const cublasStatus_t status = function.call(site, alpha, beta);
  if (status != CUBLAS_STATUS_SUCCESS) std::printf("%s status %d WRONG\n", function.name, status);
  return status == CUBLAS_STATUS_SUCCESS;
}

/// Every function once, from one of them on: C += A B.
inline bool make_all(const Site& site, int first) {
  bool good = true;
  for (int i = 0; i < function_count; ++i) good &= make(functions[(first + i) % function_count], site, &one, &one);
  return good;
}

/// Whether C is so many times A B: the first product's, and the others'.
inline bool is_right(const Site& site, const std::string& what, int first_times, int other_times) {
  static const std::vector<float> due = products();
  std::vector<float> seen(due.size());
  need(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");
  need(cudaMemcpy(seen.data(), site.c, seen.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess, "download");
  int wrong = 0;
  for (int at = 0; at < size_c * batch; ++at) {
    const int times = at < size_c ? first_times : other_times;
    if (!(seen[at] == static_cast<float>(times) * due[at])) ++wrong;
  }
  std::printf("%s: %s\n", what.c_str(), wrong == 0 ? "right" : (std::to_string(wrong) + " elements WRONG").c_str());
  return wrong == 0;
}

/// How often all functions together add the second product.
inline int batched_count() {
  int count = 0;
  for (const Function& function : functions) count += function.products == batch;
  return count;
}
