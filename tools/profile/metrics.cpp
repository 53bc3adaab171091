// SPDX-License-Identifier: MIT
#include "metrics.hpp"

#include <algorithm>

namespace ladder::profile {

namespace {

constexpr std::string_view names[] = {
#define METRIC(id, name) name,
#include "metrics.def"
#undef METRIC
};

struct Unit {
  std::string_view name;
  double in_base_units;
};

// Both spellings are in use, by older and by younger versions.
constexpr Unit units[] = {
    {"second", 1e9}, {"s", 1e9},     {"msecond", 1e6}, {"ms", 1e6},     {"usecond", 1e3},       {"us", 1e3},
    {"Kbyte", 1e3},  {"Mbyte", 1e6}, {"Gbyte", 1e9},   {"Tbyte", 1e12}, {"cycle/usecond", 1e6}, {"cycle/nsecond", 1e9},
    {"KHz", 1e3},    {"Khz", 1e3},   {"MHz", 1e6},     {"Mhz", 1e6},    {"GHz", 1e9},           {"Ghz", 1e9}};

double in_base_units(std::string_view unit) {
  const auto found = std::ranges::find(units, unit, &Unit::name);
  return found == std::end(units) ? 1.0 : found->in_base_units;
}

}  // namespace

std::span<const std::string_view> metric_names() { return names; }

Counters::Counters(const ProfiledKernel& kernel) {
  for (const Reading& reading : kernel.readings) {
    const auto found = std::ranges::find(names, reading.metric);
    if (found == std::end(names) || !reading.value) continue;
    values_[static_cast<std::size_t>(found - std::begin(names))] = *reading.value * in_base_units(reading.unit);
  }
}

}  // namespace ladder::profile
