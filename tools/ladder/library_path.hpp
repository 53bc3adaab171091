// SPDX-License-Identifier: MIT
// Where our libraries lie, seen from this command.
#pragma once

#include <filesystem>
#include <string>

namespace ladder::cli {

inline constexpr const char* library_file = "libladderblas.so";
inline constexpr const char* auditor_file = "libladderblas-audit.so";

/// Beside the tool: ../lib in a build folder, LADDER_LIBRARY_DIR (relative to the tool, or absolute) when installed.
/// Empty where it is in neither.
std::filesystem::path find_library(const char* file = library_file);

/// One line without a newline for whoever needs it and has not got it.
std::string library_missing(const char* file = library_file);

}  // namespace ladder::cli
