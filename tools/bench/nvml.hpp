// SPDX-License-Identifier: MIT
// What the driver says of a GPU while it works: clocks, power, heat, and what holds it back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ladder::bench {

/// One look at the sensors. Each is empty where there is no driver, no such GPU, or the GPU does not tell.
struct GpuReading {
  std::optional<int> sm_mhz;
  std::optional<int> memory_mhz;
  std::optional<double> watts;
  std::optional<double> power_limit_watts;
  std::optional<int> celsius;
  std::optional<std::uint64_t> throttle_reasons;  ///< NVML's bits; see throttle_text
};

/// Reads NVML, which it looks up when constructed; it never sets anything, and puts nothing on a stream of the GPU.
/// Power is what the card draws at that moment where the driver can say it, else its average over the last second.
/// One thread at a time for each object.
class GpuSensors {
 public:
  /// Of the GPU at that PCI address, as cudaDeviceGetPCIBusId writes it ("0000:1b:00.0"). Never fails: where there is
  /// no driver or no such GPU, every reading is empty.
  explicit GpuSensors(const std::string& pci_bus_id);
  ~GpuSensors();
  GpuSensors(const GpuSensors&) = delete;
  GpuSensors& operator=(const GpuSensors&) = delete;

  GpuReading read() const;

  /// "580.65.06"; empty where there is no driver.
  std::optional<std::string> driver_version() const;

 private:
  void* library_ = nullptr;
  void* device_ = nullptr;
};

/// "none", or the reasons that lower the clocks, such as "power cap, thermal slowdown".
std::string throttle_text(std::uint64_t reasons);

}  // namespace ladder::bench
