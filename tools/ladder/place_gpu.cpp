// SPDX-License-Identifier: MIT
// Built where there is CUDA. Buffers are copied whole, gaps and guards too, so that a stray write shows.
#include <cuda_runtime_api.h>

#include <cstddef>

#include "place.hpp"

namespace ladder::cli {

namespace {

class DeviceCopy {
 public:
  explicit DeviceCopy(const std::vector<float>& host) : bytes_(host.size() * sizeof(float)) {
    status_ = cudaMalloc(&data_, bytes_);
    if (status_ == cudaSuccess) status_ = cudaMemcpy(data_, host.data(), bytes_, cudaMemcpyHostToDevice);
  }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;
  ~DeviceCopy() { cudaFree(data_); }

  cudaError_t status() const { return status_; }
  float* at(std::size_t offset) const { return static_cast<float*>(data_) + offset; }
  cudaError_t copy_to(std::vector<float>& host) const {
    return cudaMemcpy(host.data(), data_, bytes_, cudaMemcpyDeviceToHost);
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
  cudaError_t status_;
};

class GpuPlace final : public Place {
 public:
  std::string run(const RungKernel& kernel, GemmProblem problem, const HostBuffers& buffers) override {
    const DeviceCopy a(buffers.a), b(buffers.b), c(buffers.c);
    for (const DeviceCopy* copy : {&a, &b, &c}) {
      if (copy->status() != cudaSuccess) return cudaGetErrorString(copy->status());
    }
    problem.a = a.at(buffers.offset);
    problem.b = b.at(buffers.offset);
    problem.c = c.at(buffers.offset);
    LaunchStatus status = kernel.launch(problem, nullptr);
    if (status == launch_ok) status = cudaDeviceSynchronize();
    if (status == launch_ok) status = c.copy_to(buffers.c);
    return status == launch_ok ? std::string() : launch_status_text(status);
  }

  const RungKernel* kernel_of(const Rung& rung) const override { return rung.gpu; }

  const char* name() const override { return "gpu"; }
};

}  // namespace

std::unique_ptr<Place> gpu_place() { return std::make_unique<GpuPlace>(); }

}  // namespace ladder::cli
