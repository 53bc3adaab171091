// SPDX-License-Identifier: MIT
#include "profile_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "csv_file.hpp"

namespace ladder::profile {

using bench::csv_cell;

namespace {

// ncu adds what it knows of the device to every kernel.
bool was_asked_for(const Reading& reading) {
  return std::ranges::find(metric_names(), reading.metric) != metric_names().end();
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::string to_csv(const Profile& profile, const bench::Conditions& conditions) {
  std::string text;
  for (const auto& [name, value] : conditions) text += fmt::format("# {}: {}\n", name, one_line(value));
  text += "rung,name,kernel,metric,unit,value\n";
  for (const RungProfile& rung : profile.rungs) {
    for (const ProfiledKernel& kernel : rung.kernels) {
      for (const Reading& reading : kernel.readings) {
        if (!was_asked_for(reading)) continue;
        text += fmt::format("{},{},{},{},{},{}\n", rung.choice.label(), rung.choice.name(), csv_cell(kernel.name),
                            csv_cell(reading.metric), csv_cell(reading.unit),
                            reading.value ? fmt::format("{}", *reading.value) : "");
      }
    }
  }
  return text;
}

}  // namespace ladder::profile
