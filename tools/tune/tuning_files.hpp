// SPDX-License-Identifier: MIT
// Where the outcome of a session goes: the tuning cache, a table to build into the library, or the times themselves.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "bench/results.hpp"
#include "session.hpp"
#include "shim/tuning_cache.hpp"

namespace ladder::tune {

/// Merges the records into the cache file's table of that key, atomically; makes the file and its folders where there
/// are none. A file that is no tuning cache is left alone. Empty, or one line of complaint.
std::string add_to_cache(const std::filesystem::path& path, const shim::CacheKey& key,
                         const std::vector<TuningRecord>& records);

/// The same for what `ladder tune --host` measured.
std::string add_to_cache(const std::filesystem::path& path, const shim::HostKey& key, const shim::HostRates& rates);

/// The lines of a built-in table (src/kernels/tuning_*.def): one for each record, a comment above them.
std::string builtin_text(const shim::CacheKey& key, const std::vector<TuningRecord>& records);

/// A CSV file: the conditions, and a line for each candidate with its time and what the model said of it.
std::string times_csv(const bench::Conditions& conditions, std::span<const CandidateTime> times);

/// The cache's contents for people; complains where there is none that can be read.
std::string describe_cache(const std::filesystem::path& path, const std::optional<shim::CacheKey>& here,
                           std::string& complaint);

}  // namespace ladder::tune
