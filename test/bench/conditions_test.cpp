// SPDX-License-Identifier: MIT
// The head of a result file: what is known of the machine with and without a GPU, and the ceilings as text.
#include "bench/conditions.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>

#include "bench/ceilings/ceilings_report.hpp"
#include "bench/device_facts.hpp"
#include "bench/nvml.hpp"

using namespace ladder::bench;

namespace {

std::optional<std::string> value_of(const Conditions& conditions, const std::string& name) {
  for (const auto& [key, value] : conditions)
    if (key == name) return value;
  return std::nullopt;
}

/// No bus has a device of that number.
constexpr const char* nowhere = "ffff:ff:1f.7";

constexpr double last_digit = 5e-5;  // relative, of five digits

}  // namespace

TEST_CASE("conditions name the host, the commit, the time and the command on every machine") {
  const Conditions conditions = conditions_before("ladder bench --door cblas");
  CHECK(value_of(conditions, "command") == "ladder bench --door cblas");
  CHECK(std::regex_match(value_of(conditions, "date").value_or(""), std::regex(R"(\d{4}-\d\d-\d\d \d\d:\d\d UTC)")));
  CHECK(std::regex_match(value_of(conditions, "host").value_or(""), std::regex(R"(.+, [1-9]\d* cores)")));
  CHECK(std::regex_match(value_of(conditions, "commit").value_or(""), std::regex("[^@]+")));
  for (const auto& [key, value] : conditions) {
    INFO(key);
    CHECK(value.find_first_of("\r\n") == std::string::npos);
  }
}

TEST_CASE("conditions speak of a GPU where there is one, and only there") {
  const bool gpu = current_device_facts().has_value();
  Conditions conditions = conditions_before("x");
  for (const char* key : {"GPU", "driver", "CUDA runtime", "clocks before"}) {
    INFO(key);
    CHECK(value_of(conditions, key).has_value() == gpu);
  }
  const std::size_t before = conditions.size();
  add_conditions_after(conditions);
  CHECK((conditions.size() > before) == gpu);
  CHECK(value_of(conditions, "clocks held back by").has_value() == gpu);
}

TEST_CASE("sensors of a GPU that is not there read nothing") {
  const GpuReading reading = GpuSensors(nowhere).read();
  CHECK_FALSE(reading.sm_mhz);
  CHECK_FALSE(reading.memory_mhz);
  CHECK_FALSE(reading.watts);
  CHECK_FALSE(reading.power_limit_watts);
  CHECK_FALSE(reading.celsius);
  CHECK_FALSE(reading.throttle_reasons);
}

TEST_CASE("the reasons for low clocks are spelled out") {
  constexpr std::uint64_t idle = 0x1;
  constexpr std::uint64_t power_cap = 0x4;
  constexpr std::uint64_t thermal_slowdown = 0x20;
  CHECK(throttle_text(0) == "none");
  CHECK(throttle_text(idle) == "none");
  CHECK(throttle_text(power_cap | idle) == "power cap");
  CHECK(throttle_text(power_cap | thermal_slowdown) == "power cap, thermal slowdown");
}

TEST_CASE("ceilings come back from the conditions; what was not measured stays empty") {
  Ceilings written;
  written.fma_tflops = 65.18364;
  written.copy_gbs = 4219.87;
  written.to_host_pageable_gbs = 9.9;
  Conditions conditions{{"GPU", "some"}};
  add_ceilings(conditions, written);
  CHECK(conditions.size() == 4);
  CHECK(value_of(conditions, "ceiling fma_tflops") == "65.184");
  const Ceilings read = ceilings_from(conditions);
  REQUIRE(read.fma_tflops);
  REQUIRE(read.copy_gbs);
  REQUIRE(read.to_host_pageable_gbs);
  CHECK(std::abs(*read.fma_tflops - *written.fma_tflops) <= last_digit * *written.fma_tflops);
  CHECK(std::abs(*read.copy_gbs - *written.copy_gbs) <= last_digit * *written.copy_gbs);
  CHECK(*read.to_host_pageable_gbs == 9.9);
  CHECK_FALSE(read.tf32_tflops);
  CHECK_FALSE(read.to_device_pinned_gbs);
}

TEST_CASE("a ceiling that is no positive number is none") {
  for (const char* text : {"", "nan", "inf", "-65", "0", "1e999", "65 TFLOP/s", "much"}) {
    INFO(text);
    CHECK_FALSE(ceilings_from({{"ceiling fma_tflops", text}}).fma_tflops);
  }
  CHECK(ceilings_from({{"ceiling of glass", "1"}, {"fma_tflops", "2"}}).fma_tflops == std::nullopt);
}

TEST_CASE("ceilings as a table and as JSON") {
  Ceilings ceilings;
  CHECK(ceilings_table(ceilings).empty());
  ceilings.bf16_tflops = 800.25;
  ceilings.copy_gbs = 4200.0;
  const std::string table = ceilings_table(ceilings);
  CHECK(std::count(table.begin(), table.end(), '\n') == 2);
  CHECK(table.find("4200.0 GB/s") != std::string::npos);
  const auto json = nlohmann::json::parse(ceilings_json(ceilings));
  CHECK(json.size() == 9);
  CHECK(json.at("bf16_tflops") == 800.25);
  CHECK(json.at("fma_tflops").is_null());
}
