/* SPDX-License-Identifier: MIT */
/* A driver's libnvidia-ml with one GPU that says fixed things; two GPUs more that say less. */
#include <string.h>

enum { success = 0, not_supported = 3, not_found = 6 };
enum { field_power_instant = 186 };

typedef struct {
  unsigned fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType, nvmlReturn;
  union {
    double dVal;
    unsigned uiVal;
    unsigned long long ullVal;
  } value;
} nvmlFieldValue_t;

struct gpu {
  const char* bus;
  int tells_instant_power, tells_anything;
};
typedef const struct gpu* nvmlDevice_t;
static const struct gpu gpus[] = {{"0000:1b:00.0", 1, 1}, {"0000:2c:00.0", 0, 1}, {"0000:3d:00.0", 0, 0}};

int fake_nvml_users;

int nvmlInit_v2(void) { return fake_nvml_users++, success; }
int nvmlShutdown(void) { return fake_nvml_users--, success; }

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, nvmlDevice_t* device) {
  for (unsigned i = 0; i < sizeof gpus / sizeof gpus[0]; i++)
    if (strcmp(bus, gpus[i].bus) == 0) return *device = &gpus[i], success;
  return not_found;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  strncpy(text, "580.65.06", length);
  return success;
}

int nvmlDeviceGetClockInfo(nvmlDevice_t device, int type, unsigned* mhz) {
  static const unsigned of_type[] = {1965, 1980, 3201, 1545};
  *mhz = of_type[type];
  return device->tells_anything ? success : not_supported;
}

int nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t* values) {
  for (int i = 0; i < count; i++) {
    values[i].value.ullVal = ~0ull;
    values[i].value.uiVal = 655250;
    values[i].nvmlReturn =
        values[i].fieldId == field_power_instant && device->tells_instant_power ? success : not_supported;
  }
  return success;
}

int nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned* milliwatts) {
  *milliwatts = 120500;
  return device->tells_anything ? success : not_supported;
}

int nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned* milliwatts) {
  *milliwatts = 700000;
  return device->tells_anything ? success : not_supported;
}

int nvmlDeviceGetTemperature(nvmlDevice_t device, int sensor, unsigned* celsius) {
  *celsius = 44;
  return device->tells_anything && sensor == 0 ? success : not_supported;
}

/* The newer name only, so that the older one is seen to be missing. */
int nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long* reasons) {
  *reasons = 0x4;
  return device->tells_anything ? success : not_supported;
}
