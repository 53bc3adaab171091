// SPDX-License-Identifier: MIT
#include "library_path.hpp"

#include <fmt/format.h>

#include <system_error>

namespace ladder::cli {

std::filesystem::path find_library(const char* file) {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* place : {"../lib", LADDER_LIBRARY_DIR}) {
    const auto candidate = std::filesystem::weakly_canonical(folder / place, error) / file;
    if (std::filesystem::exists(candidate, error)) return candidate;
  }
  return {};
}

std::string library_missing(const char* file) {
  return fmt::format("{} is neither in ../lib nor in {}, seen from this command's folder", file, LADDER_LIBRARY_DIR);
}

}  // namespace ladder::cli
