// SPDX-License-Identifier: MIT
// A problem in host memory, copied to the GPU between guard bands. Built where there is CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gemm_problem.hpp"

namespace ladder::test {

/// A copy of a matrix in GPU memory, between two guard bands.
class DeviceMatrix {
 public:
  DeviceMatrix(const float* host, std::int64_t rows, std::int64_t columns, std::int64_t ld) : host_(host) {
    constexpr std::size_t floats_in_16_bytes = 4;
    count_ = rows == 0 || columns == 0 ? 0 : static_cast<std::size_t>((columns - 1) * ld + rows);
    first_ = guard + reinterpret_cast<std::uintptr_t>(host) / sizeof(float) % floats_in_16_bytes;
    const std::size_t bytes = (first_ + count_ + guard) * sizeof(float);
    status_ = cudaMalloc(&memory_, bytes);
    if (status_ == cudaSuccess) status_ = cudaMemset(memory_, guard_byte, bytes);
    if (status_ == cudaSuccess) status_ = write(host);
  }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  ~DeviceMatrix() { cudaFree(memory_); }

  cudaError_t status() const { return status_; }
  float* data() const { return static_cast<float*>(memory_) + first_; }

  cudaError_t write(const float* host) {
    return cudaMemcpy(data(), host, count_ * sizeof(float), cudaMemcpyHostToDevice);
  }

  /// Every element and what is between them becomes NaN, in the order of `stream`.
  cudaError_t forget(cudaStream_t stream) {
    return cudaMemsetAsync(data(), guard_byte, count_ * sizeof(float), stream);
  }

  cudaError_t copy_to(float* host) const {
    return cudaMemcpy(host, data(), count_ * sizeof(float), cudaMemcpyDeviceToHost);
  }

  bool guards_live() const { return is_guard(0, first_) && is_guard(first_ + count_, guard); }

  /// True where the matrix is still what was copied here.
  bool unchanged() const {
    std::vector<float> now(count_);
    if (copy_to(now.data()) != cudaSuccess) return false;
    const auto* before = reinterpret_cast<const unsigned char*>(host_);
    return std::equal(before, before + count_ * sizeof(float), reinterpret_cast<const unsigned char*>(now.data()));
  }

 private:
  bool is_guard(std::size_t first, std::size_t count) const {
    std::vector<unsigned char> seen(count * sizeof(float));
    const void* from = static_cast<float*>(memory_) + first;
    if (cudaMemcpy(seen.data(), from, seen.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    return std::all_of(seen.begin(), seen.end(), [](unsigned char byte) { return byte == guard_byte; });
  }

  static constexpr std::size_t guard = 256;  // floats before and after a matrix
  static constexpr int guard_byte = 0xff;    // four of them are a NaN

  const float* host_;
  void* memory_ = nullptr;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  cudaError_t status_ = cudaSuccess;
};

inline DeviceMatrix operand(const float* host, Op op, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return op == Op::none ? DeviceMatrix(host, rows, columns, ld) : DeviceMatrix(host, columns, rows, ld);
}

/// A copy of a matrix that a problem may do without.
inline DeviceMatrix present(const float* host, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return host == nullptr ? DeviceMatrix(host, 0, 0, 1) : DeviceMatrix(host, rows, columns, ld);
}

/// A scalar as the kernel is to see it: by value as it is, by address as an address in GPU memory.
class DeviceScalar {
 public:
  explicit DeviceScalar(const Scalar& host) : scalar_(host) {
    if (host.device == nullptr) return;
    status_ = cudaMalloc(&memory_, sizeof(float));
    if (status_ == cudaSuccess) status_ = cudaMemcpy(memory_, host.device, sizeof(float), cudaMemcpyHostToDevice);
    scalar_.device = static_cast<const float*>(memory_);
  }
  DeviceScalar(const DeviceScalar&) = delete;
  DeviceScalar& operator=(const DeviceScalar&) = delete;
  ~DeviceScalar() { cudaFree(memory_); }

  cudaError_t status() const { return status_; }
  const Scalar& scalar() const { return scalar_; }

 private:
  Scalar scalar_;
  void* memory_ = nullptr;
  cudaError_t status_ = cudaSuccess;
};

/// Everything of a problem that lies in memory, on the GPU.
struct DeviceProblem {
  explicit DeviceProblem(const GemmProblem& host)
      : a(operand(host.a, host.op_a, host.m, host.k, host.lda)),
        b(operand(host.b, host.op_b, host.k, host.n, host.ldb)),
        c(host.c, host.m, host.n, host.ldc),
        old_c(present(host.old_c, host.m, host.n, host.ld_old_c)),
        bias(present(host.bias, host.bias_by_column ? host.n : host.m, 1, std::max(host.m, host.n))),
        alpha(host.alpha),
        beta(host.beta),
        problem(host) {
    problem.a = a.data();
    problem.b = b.data();
    problem.c = c.data();
    if (host.old_c != nullptr) problem.old_c = old_c.data();
    if (host.bias != nullptr) problem.bias = bias.data();
    problem.alpha = alpha.scalar();
    problem.beta = beta.scalar();
  }

  cudaError_t status() const {
    for (const cudaError_t status :
         {a.status(), b.status(), c.status(), old_c.status(), bias.status(), alpha.status(), beta.status()}) {
      if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
  }

  /// Waits for the GPU and copies C back. Empty, or what went wrong.
  std::string fetch(float* result) const {
    if (const cudaError_t status = cudaDeviceSynchronize(); status != cudaSuccess) return cudaGetErrorString(status);
    if (const cudaError_t status = c.copy_to(result); status != cudaSuccess) return cudaGetErrorString(status);
    for (const DeviceMatrix* matrix : {&a, &b, &c, &old_c, &bias}) {
      if (!matrix->guards_live()) return "wrote outside a matrix";
    }
    for (const DeviceMatrix* input : {&a, &b, &old_c, &bias}) {
      if (!input->unchanged()) return "wrote to a matrix that is only read";
    }
    return {};
  }

  DeviceMatrix a, b, c, old_c, bias;
  DeviceScalar alpha, beta;
  GemmProblem problem;
};

}  // namespace ladder::test
