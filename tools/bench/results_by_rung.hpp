// SPDX-License-Identifier: MIT
// Results of several rungs as a file for each.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "results.hpp"

namespace ladder::bench {

/// What stands for the name of a rung in the name of a file.
inline constexpr std::string_view rung_place = "%r";

/// (name of the file, its results): `path` with all results, or where it has a rung_place one for each rung, with its
/// rows and those of the peers.
std::vector<std::pair<std::string, Results>> files_of(const std::string& path, const Results& results);

}  // namespace ladder::bench
