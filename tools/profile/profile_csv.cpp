// SPDX-License-Identifier: MIT
#include "profile_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "csv_file.hpp"

namespace ladder::profile {

using bench::csv_cell;

namespace {

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
        text += fmt::format("{},{},{},{},{},{}\n", rung.choice.label(), rung.choice.name(), csv_cell(kernel.name),
                            csv_cell(reading.metric), csv_cell(reading.unit),
                            reading.value ? fmt::format("{}", *reading.value) : "");
      }
    }
  }
  return text;
}

}  // namespace ladder::profile
