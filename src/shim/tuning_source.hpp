// SPDX-License-Identifier: MIT
// LADDER_TUNING: where the rungs with several configurations get their measurements from.
#pragma once

#include <memory>
#include <string>

#include "choose_config.hpp"
#include "config.hpp"
#include "tuning_cache.hpp"

namespace ladder::shim {

/// What a setting means on a GPU.
struct Tuning {
  std::unique_ptr<const TuningTable> table;  ///< null: the model alone
  std::string complaint;                     ///< one line; only where the setting names a file that is of no use here
};

/// The built-in measurements of that GPU with those of the cache file before them. Reads the file.
Tuning tuning_for(const TuningSetting& setting, const GpuIdentity& gpu, const CacheKey& key);

/// The same for the process's own setting, with the complaint on stderr, once. For set_tuning_source(); no table where
/// LADDER_DEVICE keeps off the GPU. Never throws.
const TuningTable* tuning_of_process(const GpuIdentity& gpu);

/// To be called before every launch on a GPU: from the first one on, LADDER_TUNING is heeded. Any thread.
inline void heed_tuning_setting() {
  [[maybe_unused]] static const bool once = (set_tuning_source(tuning_of_process), true);
}

}  // namespace ladder::shim
