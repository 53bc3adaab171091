// SPDX-License-Identifier: MIT
// NVML, looked up when it is needed: the few of its functions that read, declared here as its stable ABI has them.
#include "nvml.hpp"

#include <dlfcn.h>

#include <array>

namespace ladder::bench {

namespace {

constexpr int success = 0;
constexpr int clock_sm = 1;
constexpr int clock_memory = 2;
constexpr int sensor_gpu = 0;
constexpr unsigned field_power_instant = 186;
constexpr double milliwatts_per_watt = 1000.0;
constexpr unsigned longest_version = 80;

/// nvmlFieldValue_t. The value is a union of 8 bytes; power is an unsigned int in it.
struct FieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency_us;
  int type;
  int status;
  union {
    unsigned as_unsigned;
    unsigned long long whole;
  } value;
};

/// Calls `name` of the library; false where it has no such function or that function fails.
template <typename... Arguments>
bool call(void* library, const char* name, Arguments... arguments) {
  if (library == nullptr) return false;
  using Function = int (*)(Arguments...);
  const auto function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr && function(arguments...) == success;
}

/// For the functions that take a device, perhaps which of several things is asked, and where to put an unsigned.
template <typename... Which>
std::optional<unsigned> ask(void* library, void* device, const char* name, Which... which) {
  unsigned answer = 0;
  if (device == nullptr || !call(library, name, device, which..., &answer)) return std::nullopt;
  return answer;
}

std::optional<int> as_int(std::optional<unsigned> value) {
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

std::optional<double> as_watts(std::optional<unsigned> milliwatts) {
  return milliwatts ? std::optional(*milliwatts / milliwatts_per_watt) : std::nullopt;
}

std::optional<unsigned> power_draw(void* library, void* device) {
  FieldValue field{};
  field.field = field_power_instant;
  if (device != nullptr && call(library, "nvmlDeviceGetFieldValues", device, 1, &field) && field.status == success)
    return field.value.as_unsigned;
  return ask(library, device, "nvmlDeviceGetPowerUsage");
}

std::optional<std::uint64_t> throttle_reasons(void* library, void* device) {
  unsigned long long reasons = 0;
  if (device == nullptr) return std::nullopt;
  // The older name first: every driver still has it.
  for (const char* name : {"nvmlDeviceGetCurrentClocksThrottleReasons", "nvmlDeviceGetCurrentClocksEventReasons"})
    if (call(library, name, device, &reasons)) return reasons;
  return std::nullopt;
}

struct Reason {
  std::uint64_t bit;
  const char* text;
};

// Bit 0, an idle GPU, is none: nothing holds back what does not run.
constexpr std::array<Reason, 8> reasons_by_bit{{{0x002, "application clocks setting"},
                                                {0x004, "power cap"},
                                                {0x008, "hardware slowdown"},
                                                {0x010, "sync boost"},
                                                {0x020, "thermal slowdown"},
                                                {0x040, "hardware thermal slowdown"},
                                                {0x080, "power brake"},
                                                {0x100, "display clock setting"}}};

}  // namespace

GpuSensors::GpuSensors(const std::string& pci_bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  if (!call(library_, "nvmlInit_v2")) {
    dlclose(library_);
    library_ = nullptr;
    return;
  }
  if (!call(library_, "nvmlDeviceGetHandleByPciBusId_v2", pci_bus_id.c_str(), &device_)) device_ = nullptr;
}

GpuSensors::~GpuSensors() {
  if (library_ == nullptr) return;
  call(library_, "nvmlShutdown");
  dlclose(library_);
}

GpuReading GpuSensors::read() const {
  GpuReading reading;
  reading.sm_mhz = as_int(ask(library_, device_, "nvmlDeviceGetClockInfo", clock_sm));
  reading.memory_mhz = as_int(ask(library_, device_, "nvmlDeviceGetClockInfo", clock_memory));
  reading.watts = as_watts(power_draw(library_, device_));
  reading.power_limit_watts = as_watts(ask(library_, device_, "nvmlDeviceGetEnforcedPowerLimit"));
  reading.celsius = as_int(ask(library_, device_, "nvmlDeviceGetTemperature", sensor_gpu));
  reading.throttle_reasons = throttle_reasons(library_, device_);
  return reading;
}

std::optional<std::string> GpuSensors::driver_version() const {
  std::array<char, longest_version> text{};
  if (!call(library_, "nvmlSystemGetDriverVersion", text.data(), longest_version)) return std::nullopt;
  return std::string(text.data());
}

std::string throttle_text(std::uint64_t reasons) {
  std::string text;
  for (const Reason& reason : reasons_by_bit)
    if ((reasons & reason.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(reason.text);
  return text.empty() ? "none" : text;
}

}  // namespace ladder::bench
