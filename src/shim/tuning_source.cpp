// SPDX-License-Identifier: MIT
#include "tuning_source.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <optional>
#include <vector>

#include "stderr_line.hpp"
#include "tuning_builtin.hpp"

namespace ladder::shim {

namespace {

std::string complaint(const std::string& path, std::string_view why) {
  return fmt::format(
      "ladderblas: LADDER_TUNING={} is not valid: {}; valid are: off, or a file that `ladder tune` wrote on this GPU "
      "with this library; the library's own choices are used",
      path, why);
}

}  // namespace

Tuning tuning_for(const TuningSetting& setting, const GpuIdentity& gpu, const CacheKey& key) {
  if (setting.off) return {};
  Tuning tuning;
  const std::span<const TuningRecord> builtin = builtin_tuning_records(gpu);
  std::vector<TuningRecord> records(builtin.begin(), builtin.end());
  std::optional<TuningCache> cache;  // owns the texts of the records
  std::string why;
  if (!setting.path.empty()) {
    if (const auto text = read_whole_file(setting.path, why)) {
      cache = TuningCache::parse(*text);
      if (!cache) why = "it is not a tuning cache";
    }
  }
  if (cache) {
    const auto measured = cache->choices(key);
    if (!measured) why = "it has no table for this GPU, driver and library";
    if (measured) records.insert(records.end(), measured->begin(), measured->end());
  }
  if (setting.named && !why.empty()) tuning.complaint = complaint(setting.path, why);
  if (!records.empty()) tuning.table = std::make_unique<const TuningTable>(records);
  return tuning;
}

const TuningTable* tuning_of_process(const GpuIdentity& gpu) {
  static std::atomic<bool> said{false};
  const int errno_of_caller = errno;
  const TuningTable* table = nullptr;
  try {
    const bool keeps_off = config().device == DeviceWish::cpu || emulating();
    if (!keeps_off) {
      Tuning tuning = tuning_for(config().tuning, gpu, cache_key(gpu));
      if (!tuning.complaint.empty() && !said.exchange(true)) stderr_line(tuning.complaint);
      table = tuning.table.release();  // never freed: calls may still come while the process ends
    }
  } catch (const std::exception&) {
    table = nullptr;  // no memory: the model decides
  }
  errno = errno_of_caller;
  return table;
}

}  // namespace ladder::shim
