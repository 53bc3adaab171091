// SPDX-License-Identifier: MIT
// `ladder list`: the rungs, and where each can run here.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/text_list.hpp"
#include "commands.hpp"
#include "machine.hpp"
#include "table.hpp"

namespace ladder::cli {

namespace {

void print_json() {
  nlohmann::ordered_json listed;
  const auto gpu = gpu_name();
  listed["gpu"] = gpu ? nlohmann::ordered_json(*gpu) : nlohmann::ordered_json(nullptr);
  listed["rungs"] = nlohmann::ordered_json::array();
  for (const Rung& rung : rungs()) {
    nlohmann::ordered_json one;
    one["number"] = rung.number == unnumbered ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(rung.number);
    one["name"] = rung.name;
    one["precision"] = precision_name(rung.precision);
    one["devices"] = devices_of(rung);
    one["default"] = &rung == &default_rung();
    one["idea"] = rung.idea;
    listed["rungs"].push_back(std::move(one));
  }
  fmt::print("{}\n", listed.dump(2));
}

void print_table() {
  Table table({"rung", "name", "precision", "runs on", "idea"});
  for (const Rung& rung : rungs()) {
    const auto devices = devices_of(rung);
    table.add_row({rung.number == unnumbered ? "" : rung_label(rung), rung.name, precision_name(rung.precision),
                   devices.empty() ? "-" : bench::joined(devices, ", "),
                   fmt::format("{}{}", rung.idea, &rung == &default_rung() ? " (default)" : "")});
  }
  fmt::print("{}GPU: {}\n", table.text(), gpu_name().value_or("none found"));
}

}  // namespace

int list_command(const ListOptions& options) {
  options.json ? print_json() : print_table();
  return exit_ok;
}

}  // namespace ladder::cli
