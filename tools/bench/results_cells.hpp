// SPDX-License-Identifier: MIT
// A row of results as named cells: what the CSV file and the JSON text are both made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "results.hpp"

namespace ladder::bench {

/// std::monostate is a value that there is not.
using ResultCell = std::variant<std::monostate, std::string, std::int64_t, double>;

/// (column, value), in the order of the file.
std::vector<std::pair<std::string_view, ResultCell>> cells_of(const BenchRow& row);

}  // namespace ladder::bench
