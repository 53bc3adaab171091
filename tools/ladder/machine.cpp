// SPDX-License-Identifier: MIT
#include "machine.hpp"

#include <fmt/format.h>

#if LADDER_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace ladder::cli {

std::optional<std::string> gpu_name() {
#if LADDER_HAS_CUDA
  int device = 0;
  cudaDeviceProp properties;
  if (cudaGetDevice(&device) != cudaSuccess) return std::nullopt;
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) return std::nullopt;
  return std::string(properties.name);
#else
  return std::nullopt;
#endif
}

std::vector<std::string> devices_of(const Rung& rung) {
  static const bool has_gpu = gpu_name().has_value();
  const bool handed_on = rung.gpu == nullptr && rung.emulated == nullptr;
  std::vector<std::string> devices;
  if (has_gpu && (rung.gpu != nullptr || handed_on)) devices.emplace_back("gpu");
  if (rung.emulated != nullptr) devices.emplace_back("emulate");
  return devices;
}

std::string rung_label(const Rung& rung) {
  return rung.number == unnumbered ? rung.name : fmt::format("{}", rung.number);
}

}  // namespace ladder::cli
