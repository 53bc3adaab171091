// SPDX-License-Identifier: MIT
// Results and what is concluded from them as JSON. Numbers that there are not are null.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "compare.hpp"
#include "results.hpp"
#include "summary.hpp"

namespace ladder::bench {

/// {"conditions": {...}, "rows": [{column: value, ...}, ...]} with the columns of the CSV.
nlohmann::ordered_json results_json(const Results& results);

/// {"geomean", "min", "share_of_floor", "categories": {NAME: {"geomean", "min", "share_of_floor", "problems", ...}},
/// ...} of the headline rung, and "rungs": {LABEL: the same} where there are several.
nlohmann::ordered_json summary_json(const Summary& summary);

nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// Indented, with bytes that are not UTF-8 replaced rather than thrown about.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ladder::bench
