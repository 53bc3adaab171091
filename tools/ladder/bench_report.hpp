// SPDX-License-Identifier: MIT
// `ladder bench` on files that are already there, and the text in which it reports.
#pragma once

#include <filesystem>
#include <string>

#include "bench/compare.hpp"
#include "bench/summary.hpp"

namespace ladder::cli {

/// `ladder bench --summarize PATH`: prints the summary of all rungs, or of `rung` (a number or a name). The exit code
/// is exit_failed where a row failed and exit_usage where the file cannot be used.
int summarize_command(const std::filesystem::path& path, bool json, const std::string& rung);

/// `ladder bench --compare BEFORE AFTER`: exit_failed where something got slower or went wrong, exit_usage where
/// a file cannot be used.
int compare_command(const std::filesystem::path& before, const std::filesystem::path& after, bool json);

/// For people: a line a rung where there are several, and the headline rung by category of shape.
std::string summary_text(const bench::Summary& summary);
std::string comparison_text(const bench::Comparison& comparison);

}  // namespace ladder::cli
