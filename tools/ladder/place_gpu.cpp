// SPDX-License-Identifier: MIT
// Built where there is CUDA.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "place.hpp"

namespace ladder::cli {

namespace {

/// A copy of a matrix in GPU memory, between two guard bands, as far from a 16-byte boundary as on the host.
class DeviceMatrix {
 public:
  DeviceMatrix(const float* host, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
    constexpr std::size_t floats_in_16_bytes = 4;
    count_ = rows == 0 || columns == 0 ? 0 : static_cast<std::size_t>((columns - 1) * ld + rows);
    first_ = guard + reinterpret_cast<std::uintptr_t>(host) / sizeof(float) % floats_in_16_bytes;
    const std::size_t bytes = (first_ + count_ + guard) * sizeof(float);
    status_ = cudaMalloc(&memory_, bytes);
    if (status_ == cudaSuccess) status_ = cudaMemset(memory_, guard_byte, bytes);
    if (status_ == cudaSuccess) status_ = cudaMemcpy(data(), host, count_ * sizeof(float), cudaMemcpyHostToDevice);
  }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;
  ~DeviceMatrix() { cudaFree(memory_); }

  cudaError_t status() const { return status_; }
  float* data() const { return static_cast<float*>(memory_) + first_; }

  cudaError_t copy_to(float* host) const {
    return cudaMemcpy(host, data(), count_ * sizeof(float), cudaMemcpyDeviceToHost);
  }

  bool guards_live() const { return is_guard(0, first_) && is_guard(first_ + count_, guard); }

 private:
  static constexpr std::size_t guard = 256;
  static constexpr int guard_byte = 0xff;  // four of them are a NaN

  bool is_guard(std::size_t first, std::size_t count) const {
    std::vector<unsigned char> seen(count * sizeof(float));
    const void* from = static_cast<float*>(memory_) + first;
    if (cudaMemcpy(seen.data(), from, seen.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
    return std::all_of(seen.begin(), seen.end(), [](unsigned char byte) { return byte == guard_byte; });
  }

  void* memory_ = nullptr;
  std::size_t first_ = 0, count_ = 0;
  cudaError_t status_ = cudaSuccess;
};

DeviceMatrix operand(const float* host, Op op, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return op == Op::none ? DeviceMatrix(host, rows, columns, ld) : DeviceMatrix(host, columns, rows, ld);
}

class GpuPlace final : public Place {
 public:
  std::string run(const RungKernel& kernel, const GemmProblem& problem) override {
    const DeviceMatrix a = operand(problem.a, problem.op_a, problem.m, problem.k, problem.lda);
    const DeviceMatrix b = operand(problem.b, problem.op_b, problem.k, problem.n, problem.ldb);
    const DeviceMatrix c(problem.c, problem.m, problem.n, problem.ldc);
    for (const DeviceMatrix* copy : {&a, &b, &c}) {
      if (copy->status() != cudaSuccess) return cudaGetErrorString(copy->status());
    }
    GemmProblem on_device = problem;
    on_device.a = a.data();
    on_device.b = b.data();
    on_device.c = c.data();
    LaunchStatus status = kernel.launch(on_device, nullptr);
    if (status == launch_ok) status = cudaDeviceSynchronize();
    if (status == launch_ok) status = c.copy_to(problem.c);
    if (status != launch_ok) return launch_status_text(status);
    return a.guards_live() && b.guards_live() && c.guards_live() ? std::string() : "wrote outside a matrix";
  }

  const RungKernel* kernel_of(const Rung& rung) const override { return rung.gpu; }

  const char* name() const override { return "gpu"; }
};

}  // namespace

std::unique_ptr<Place> gpu_place() { return std::make_unique<GpuPlace>(); }

}  // namespace ladder::cli
