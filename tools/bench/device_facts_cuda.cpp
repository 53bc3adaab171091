// SPDX-License-Identifier: MIT
// The current CUDA device through the CUDA runtime.
#include <cuda_runtime.h>

#include <array>

#include "device_facts.hpp"

namespace ladder::bench {

namespace {

constexpr int major_unit = 1000;  // CUDART_VERSION is 1000 major + 10 minor
constexpr int minor_unit = 10;
constexpr int longest_pci_bus_id = 32;

std::string version_text(int version) {
  return std::to_string(version / major_unit) + '.' + std::to_string(version % major_unit / minor_unit);
}

}  // namespace

std::optional<DeviceFacts> current_device_facts() {
  int ordinal = 0;
  int runtime_version = 0;
  cudaDeviceProp properties{};
  std::array<char, longest_pci_bus_id> pci_bus_id{};
  if (cudaGetDevice(&ordinal) != cudaSuccess || cudaGetDeviceProperties(&properties, ordinal) != cudaSuccess ||
      cudaDeviceGetPCIBusId(pci_bus_id.data(), longest_pci_bus_id, ordinal) != cudaSuccess ||
      cudaRuntimeGetVersion(&runtime_version) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return std::nullopt;
  }
  return DeviceFacts{.name = properties.name,
                     .sm_count = properties.multiProcessorCount,
                     .pci_bus_id = pci_bus_id.data(),
                     .runtime_version = version_text(runtime_version)};
}

}  // namespace ladder::bench
