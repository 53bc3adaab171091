// SPDX-License-Identifier: MIT
#include "offload/host_table.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "json_member.hpp"
#include "offload/cores.hpp"
#include "tuning_builtin.hpp"
#include "tuning_cache.hpp"

namespace ladder::shim {

namespace {

using Json = nlohmann::ordered_json;

struct RateField {
  const char* name;
  double HostRates::*value;
};
constexpr RateField rate_fields[] = {
    {"cpu_flops", &HostRates::cpu_flops},      {"cpu_half_edge", &HostRates::cpu_half_edge},
    {"cpu_bytes", &HostRates::cpu_bytes},      {"cpu_write_bytes", &HostRates::cpu_write_bytes},
    {"cpu_call_s", &HostRates::cpu_call_s},    {"gpu_flops", &HostRates::gpu_flops},
    {"gpu_call_s", &HostRates::gpu_call_s},    {"bus_up", &HostRates::bus_up},
    {"bus_down", &HostRates::bus_down},        {"staging_up", &HostRates::staging_up},
    {"staging_down", &HostRates::staging_down}};
static_assert(sizeof(HostRates) == std::size(rate_fields) * sizeof(double), "every rate has its field");

/// What follows the colon of the first line that begins with `name`: "model name : Intel(R) Xeon(R) ...".
std::string value_in_file(const std::string& path, std::string_view name) {
  std::string why_not;
  const std::string text = read_whole_file(path, why_not).value_or("");
  constexpr std::string_view blank = " \t";
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::size_t colon = line.find(':');
    if (!line.starts_with(name) || colon == line.npos) continue;
    const std::size_t value = line.find_first_not_of(blank, colon + 1);
    return value == line.npos ? std::string() : std::string(line.substr(value));
  }
  return {};
}

std::string first_gpu() {
  std::error_code error;  // no such folder: no driver
  std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", error);
  if (error || gpus == std::filesystem::directory_iterator()) return {};
  return value_in_file((gpus->path() / "information").string(), "Model:");
}

HostKey key_of(const Json& table) {
  return {std::string(text_of(table, "cpu")), static_cast<int>(integer_of(table, "cores")),
          std::string(text_of(table, "gpu")), std::string(text_of(table, "driver")),
          std::string(text_of(table, "build"))};
}

}  // namespace

HostKey host_key() {
  return {value_in_file("/proc/cpuinfo", "model name"), usable_cores(), first_gpu(), loaded_driver(),
          kernels_build_id()};
}

std::vector<HostTable> host_tables_in(const Json& document) {
  std::vector<HostTable> usable;
  const Json* tables = member(document, "host");
  if (tables == nullptr || !tables->is_array()) return usable;
  for (const Json& table : *tables) {
    HostRates rates;
    for (const RateField& field : rate_fields) rates.*field.value = number_of(table, field.name);
    if (are_usable(rates)) usable.push_back({key_of(table), rates});
  }
  return usable;
}

void keep_host_rates(Json& document, const HostKey& key, const HostRates& rates) {
  Json kept = Json::array();
  const Json* tables = member(document, "host");
  if (tables != nullptr && tables->is_array()) {
    for (const Json& table : *tables) {
      if (key_of(table) != key) kept.push_back(table);
    }
  }
  Json table = {{"cpu", key.cpu}, {"cores", key.cores}, {"gpu", key.gpu}, {"driver", key.driver}, {"build", key.build}};
  for (const RateField& field : rate_fields) table[field.name] = rates.*field.value;
  kept.push_back(std::move(table));
  document["host"] = std::move(kept);
}

}  // namespace ladder::shim
