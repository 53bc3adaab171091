// SPDX-License-Identifier: MIT
// One list of the ceilings serves the table, the JSON, and the lines among the conditions.
#include "ceilings_report.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ladder::bench {

namespace {

struct Ceiling {
  const char* key;
  std::optional<double> Ceilings::*value;
  const char* text;
  const char* unit;
};

constexpr std::array<Ceiling, 9> all_ceilings{{
    {"fma_tflops", &Ceilings::fma_tflops, "FP32 multiply-adds, registers only", "TFLOP/s"},
    {"tf32_tflops", &Ceilings::tf32_tflops, "tensor cores, TF32", "TFLOP/s"},
    {"bf16_tflops", &Ceilings::bf16_tflops, "tensor cores, bf16 into FP32", "TFLOP/s"},
    {"fp16_tflops", &Ceilings::fp16_tflops, "tensor cores, fp16 into FP32", "TFLOP/s"},
    {"copy_gbs", &Ceilings::copy_gbs, "device copy, read plus written", "GB/s"},
    {"to_device_pinned_gbs", &Ceilings::to_device_pinned_gbs, "host to device, pinned", "GB/s"},
    {"to_device_pageable_gbs", &Ceilings::to_device_pageable_gbs, "host to device, pageable", "GB/s"},
    {"to_host_pinned_gbs", &Ceilings::to_host_pinned_gbs, "device to host, pinned", "GB/s"},
    {"to_host_pageable_gbs", &Ceilings::to_host_pageable_gbs, "device to host, pageable", "GB/s"},
}};

constexpr std::string_view line_prefix = "ceiling ";

std::optional<double> positive_number(std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) && value > 0.0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string ceilings_table(const Ceilings& ceilings) {
  std::string table;
  for (const Ceiling& ceiling : all_ceilings)
    if (const auto& value = ceilings.*ceiling.value)
      table += fmt::format("{:<36}{:>9.1f} {}\n", ceiling.text, *value, ceiling.unit);
  return table;
}

std::string ceilings_json(const Ceilings& ceilings) {
  nlohmann::ordered_json object;
  for (const Ceiling& ceiling : all_ceilings) {
    const auto& value = ceilings.*ceiling.value;
    object[ceiling.key] = value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  }
  return object.dump();
}

void add_ceilings(Conditions& conditions, const Ceilings& ceilings) {
  for (const Ceiling& ceiling : all_ceilings)
    if (const auto& value = ceilings.*ceiling.value)
      conditions.emplace_back(std::string(line_prefix) + ceiling.key, fmt::format("{:.5g}", *value));
}

Ceilings ceilings_from(const Conditions& conditions) {
  Ceilings ceilings;
  for (const auto& [name, text] : conditions)
    for (const Ceiling& ceiling : all_ceilings)
      if (name == std::string(line_prefix) + ceiling.key) ceilings.*ceiling.value = positive_number(text);
  return ceilings;
}

}  // namespace ladder::bench
