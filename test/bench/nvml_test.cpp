// SPDX-License-Identifier: MIT
// The sensors on a driver's library that a fake plays: it is in the process already, under the real one's SONAME.
#include "bench/nvml.hpp"

#include <doctest/doctest.h>

using namespace ladder::bench;

extern "C" int fake_nvml_users;

TEST_CASE("every sensor in its own unit, of the GPU at that address") {
  const GpuSensors sensors("0000:1b:00.0");
  const GpuReading reading = sensors.read();
  CHECK(sensors.driver_version() == "580.65.06");
  CHECK(reading.sm_mhz == 1980);
  CHECK(reading.memory_mhz == 3201);
  CHECK(reading.watts == 655.25);
  CHECK(reading.power_limit_watts == 700.0);
  CHECK(reading.celsius == 44);
  REQUIRE(reading.throttle_reasons);
  CHECK(throttle_text(*reading.throttle_reasons) == "power cap");
}

TEST_CASE("the average power where the driver does not know that of the moment") {
  const GpuReading reading = GpuSensors("0000:2c:00.0").read();
  CHECK(reading.watts == 120.5);
}

TEST_CASE("a GPU that tells nothing, and one that is not there") {
  for (const char* bus : {"0000:3d:00.0", "0000:4e:00.0"}) {
    INFO(bus);
    const GpuReading reading = GpuSensors(bus).read();
    CHECK_FALSE(reading.sm_mhz);
    CHECK_FALSE(reading.memory_mhz);
    CHECK_FALSE(reading.watts);
    CHECK_FALSE(reading.power_limit_watts);
    CHECK_FALSE(reading.celsius);
    CHECK_FALSE(reading.throttle_reasons);
  }
}

TEST_CASE("the library is left as it was found") {
  const int users = fake_nvml_users;
  {
    const GpuSensors sensors("0000:1b:00.0");
    CHECK(fake_nvml_users == users + 1);
  }
  CHECK(fake_nvml_users == users);
}
