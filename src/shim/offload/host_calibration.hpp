// SPDX-License-Identifier: MIT
// Where the host model's rates come from: this machine's tuning cache, or what the library brings along.
#pragma once

#include "config.hpp"
#include "offload/host_model.hpp"
#include "offload/host_table.hpp"

namespace ladder::shim {

/// Of an H200, as many of its host's cores, and as many copying threads.
HostRates builtin_host_rates(int cores, int threads);

/// Those measured on this very machine, where LADDER_TUNING's file has some; else the library's own. Reads the file.
HostRates host_rates_for(const Config& config, const HostKey& key);

/// The process's own, by the environment and the files of the first call. Any thread; never throws.
const HostModel& host_model();

}  // namespace ladder::shim
