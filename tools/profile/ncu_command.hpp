// SPDX-License-Identifier: MIT
// Nsight Compute's command line: where it is, what it is told, and what its refusals mean.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics.hpp"

namespace ladder::profile {

/// The first `ncu` on `search_path` (folders with colons between them), then where a toolkit or a package puts it.
std::optional<std::string> find_ncu(const std::string& search_path);

/// The words of the command that profiles what `program` launches between cudaProfilerStart and cudaProfilerStop:
/// each kernel is replayed with cold caches until all `metrics` are counted, clocks are left alone, and Nsight Compute
/// writes nothing but the file `log`.
std::vector<std::string> ncu_words(const std::string& ncu, const std::vector<std::string>& metrics,
                                   const std::string& log, const std::vector<std::string>& program);

/// Those of `metrics` that Nsight Compute says, in `log`, it does not know.
std::vector<std::string> unknown_metrics(std::string_view log, const std::vector<std::string>& metrics);

/// True where the profiled program says that it could not go on: "ladder: why".
bool is_own_complaint(const std::string& line);

/// Why nothing was profiled, for people, from what Nsight Compute and its program wrote: one sentence.
std::string reason_for_nothing(std::string_view log, const std::vector<std::string>& program_lines, int exit_code);

}  // namespace ladder::profile
