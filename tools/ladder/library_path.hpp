// SPDX-License-Identifier: MIT
// Where our library lies, seen from this command.
#pragma once

#include <filesystem>
#include <string>

namespace ladder::cli {

inline constexpr const char* library_file = "libladderblas.so";

/// Beside the tool: ../lib in a build folder, LADDER_LIBRARY_DIR (relative to the tool, or absolute) when installed.
/// Empty where it is in neither.
std::filesystem::path find_library();

/// One line without a newline for whoever needs it and has not got it.
std::string library_missing();

}  // namespace ladder::cli
