// SPDX-License-Identifier: MIT
// The lines at the head of every result file.
#include "conditions.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <thread>

#include "build_facts.hpp"
#include "device_facts.hpp"
#include "nvml.hpp"

namespace ladder::bench {

namespace {

constexpr const char* unknown = "unknown";

/// "1980 MHz", or "unknown".
template <typename Number>
std::string with_unit(const std::optional<Number>& value, const char* unit) {
  return value ? fmt::format("{:.0f} {}", static_cast<double>(*value), unit) : unknown;
}

std::string clocks_text(const GpuReading& reading) {
  return fmt::format("SM {}, memory {}", with_unit(reading.sm_mhz, "MHz"), with_unit(reading.memory_mhz, "MHz"));
}

/// The first "model name : ..." of the kernel's list of processors.
std::string cpu_model() {
  std::ifstream processors("/proc/cpuinfo");
  for (std::string line; std::getline(processors, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t text = line.find_first_not_of(" \t", line.find(':') + 1);
    if (text != std::string::npos) return line.substr(text);
  }
  return unknown;
}

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now));
}

void add_device(Conditions& conditions, const DeviceFacts& device) {
  const GpuSensors sensors(device.pci_bus_id);
  const GpuReading reading = sensors.read();
  conditions.emplace_back("GPU", fmt::format("{}, {} SMs, power limit {}", device.name, device.sm_count,
                                             with_unit(reading.power_limit_watts, "W")));
  conditions.emplace_back("driver", sensors.driver_version().value_or(unknown));
  conditions.emplace_back("CUDA runtime", device.runtime_version);
  conditions.emplace_back("clocks before", clocks_text(reading));
}

}  // namespace

Conditions conditions_before(const std::string& command) {
  Conditions conditions;
  if (const auto device = current_device_facts()) add_device(conditions, *device);
  const std::string toolkit = build_toolkit;
  if (!toolkit.empty()) conditions.emplace_back("toolkit", toolkit);
  conditions.emplace_back("host", fmt::format("{}, {} cores", cpu_model(), std::thread::hardware_concurrency()));
  conditions.emplace_back("commit", build_commit);
  conditions.emplace_back("date", utc_date());
  conditions.emplace_back("command", command);
  return conditions;
}

void add_conditions_after(Conditions& conditions, std::uint64_t throttle_seen) {
  const auto device = current_device_facts();
  if (!device) return;
  const GpuReading reading = GpuSensors(device->pci_bus_id).read();
  conditions.emplace_back("clocks after", clocks_text(reading));
  conditions.emplace_back(
      "power after", fmt::format("{}, {}", with_unit(reading.watts, "W"), with_unit(reading.celsius, "degrees C")));
  const bool told = reading.throttle_reasons || throttle_seen != 0;
  conditions.emplace_back("clocks held back by",
                          told ? throttle_text(reading.throttle_reasons.value_or(0) | throttle_seen) : unknown);
}

}  // namespace ladder::bench
