// SPDX-License-Identifier: MIT
// What `ladder tune --host` measured, as the tuning cache keeps it: a table for each machine and build.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "offload/host_model.hpp"

namespace ladder::shim {

/// Where such a measurement holds. All must be equal.
struct HostKey {
  std::string cpu;  ///< model; empty where the system does not say
  int cores = 0;    ///< that this process may use
  std::string gpu;  ///< model of the first one that the driver names; empty where it names none
  std::string driver;
  std::string build;

  bool operator==(const HostKey&) const = default;
};

/// Of this process. Starts no CUDA.
HostKey host_key();

struct HostTable {
  HostKey key;
  HostRates rates;
};

/// A member "host" of the tuning cache's document (tuning_cache.hpp), beside the tables of the GPUs:
///
///   [{"cpu": ..., "cores": ..., "gpu": ..., "driver": ..., "build": ..., "cpu_flops": ..., ...}, ...]
///
/// with the fields of HostRates by their names. What is not as the format wants it is passed over, also a table that
/// lacks a rate: one of before that was measured.
std::vector<HostTable> host_tables_in(const nlohmann::ordered_json& document);

/// Puts the machine's table in the place of the one it had.
void keep_host_rates(nlohmann::ordered_json& document, const HostKey& key, const HostRates& rates);

}  // namespace ladder::shim
