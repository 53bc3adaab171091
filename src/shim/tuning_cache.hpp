// SPDX-License-Identifier: MIT
// The tuning cache: a JSON file in which `ladder tune` keeps what it measured, a table for each GPU and build.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_identity.hpp"
#include "offload/host_table.hpp"
#include "tuning_table.hpp"

namespace ladder::shim {

/// Where a measurement holds. All four must be equal.
struct CacheKey {
  std::string gpu;
  int multiprocessors = 0;
  std::string driver;
  std::string build;

  bool operator==(const CacheKey&) const = default;
};

/// Version of the NVIDIA driver that the system has loaded; empty where it has none.
std::string loaded_driver();

/// Of that GPU with this machine's driver and this build of the kernels.
CacheKey cache_key(const GpuIdentity& gpu);

/// The whole of a regular file of at most 16 MiB; where that fails, nothing, and in `why` the reason. Never waits: a
/// pipe or a device is refused.
std::optional<std::string> read_whole_file(const std::string& path, std::string& why);

/// A choice as the file has it.
nlohmann::ordered_json json_of(const TuningRecord& record);

/// The file's tables. What is not as the format wants it is left out, entry by entry.
///
///   {"format": 1, "tables": [{"gpu": ..., "multiprocessors": ..., "driver": ..., "build": ..., "choices": [
///     {"rung": "r07", "op_a": "N", "op_b": "T", "alignment": "both", "m": ..., "n": ..., "k": ..., "batch": ...,
///      "config": ..., "ms": ..., "runner_up": ...}, ...]}, ...]}
///
/// Beside them, under "host", what machines do with calls from host memory (offload/host_table.hpp).
class TuningCache {
 public:
  static constexpr int format = 1;

  /// No tables.
  TuningCache();

  /// Nothing where the text is not JSON, or not a cache of this format.
  static std::optional<TuningCache> parse(std::string_view text);

  std::vector<CacheKey> keys() const;

  /// The table's choices; nothing where there is no such table. Their texts live as long as this.
  std::optional<std::vector<TuningRecord>> choices(const CacheKey& key) const;

  /// Adds choices to the table, which is made where there is none; replaces those of the same problems.
  void merge(const CacheKey& key, const std::vector<TuningRecord>& choices);

  std::vector<HostTable> hosts() const;

  /// Of that machine; nothing where there are none.
  std::optional<HostRates> host_rates(const HostKey& key) const;

  /// In place of those that the machine had.
  void keep(const HostKey& key, const HostRates& rates);

  /// As it is kept in a file.
  std::string text() const;

 private:
  const nlohmann::ordered_json* table_of(const CacheKey& key) const;

  nlohmann::ordered_json document_;
};

}  // namespace ladder::shim
