// SPDX-License-Identifier: MIT
#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string_view>

#include "statistics.hpp"

namespace ladder::bench {

namespace {

using RowsByKey = std::map<std::string, const BenchRow*>;

std::string text_of(const BenchRow& row) {
  std::string text = fmt::format("{} {}", row.name.empty() ? "rung " + row.rung : row.name, to_text(row.problem));
  if (!row.data.empty()) text += ", " + row.data;
  if (!row.cache.empty()) text += ", " + row.cache;
  return text;
}

/// Peers and forced configurations go by their names; who serves a rung's problems may change, and is compared.
std::string contender_of(const BenchRow& row) {
  const bool by_name = row.rung == "0" || row.name.find(':') != std::string::npos;
  return by_name ? row.name : row.rung;
}

/// What makes two rows the same measurement. One that a file holds again is its second, third, ... of that kind.
RowsByKey rows_by_key(const Results& results) {
  RowsByKey rows;
  for (const BenchRow& row : results.rows) {
    BenchProblem problem = row.problem;
    problem.category.clear();
    for (int repetition = 0;; ++repetition) {
      const std::string key =
          fmt::format("{}|{}|{}|{}|{}", to_text(problem), contender_of(row), row.data, row.cache, repetition);
      if (rows.emplace(key, &row).second) break;
    }
  }
  return rows;
}

bool overlap(const Spread& one, const Spread& other) { return !(one.q1 > other.q3) && !(other.q1 > one.q3); }

/// The others (clocks, power, date) always differ.
constexpr std::string_view telling[] = {"GPU",    "driver", "CUDA runtime",  "toolkit",  "host",  "commit",
                                        "cuBLAS", "door",   "libladderblas", "openblas", "nvblas"};

std::vector<std::string> changed_conditions(const Conditions& before, const Conditions& after) {
  std::vector<std::string> changed;
  for (const auto& [key, value] : before) {
    if (std::find(std::begin(telling), std::end(telling), key) == std::end(telling)) continue;
    const auto other =
        std::find_if(after.begin(), after.end(), [&key = key](const auto& one) { return one.first == key; });
    if (other != after.end() && other->second != value)
      changed.push_back(fmt::format("{}: {} -> {}", key, value, other->second));
  }
  return changed;
}

void judge(const BenchRow& before, const BenchRow& after, Comparison& comparison, std::vector<double>& gains) {
  if (!is_right(before) || !is_right(after)) {
    if (is_right(before)) comparison.broken.push_back(text_of(after));
    if (is_right(after)) comparison.repaired.push_back(text_of(after));
    return;
  }
  ++comparison.compared;
  gains.push_back(before.time.median / after.time.median);
  const double change = after.time.median / before.time.median - 1.0;
  if (overlap(before.time, after.time) || std::abs(change) <= least_change) return;
  (change > 0.0 ? comparison.slower : comparison.quicker).push_back({text_of(after), before.time, after.time, change});
}

}  // namespace

Comparison compare(const Results& before, const Results& after) {
  Comparison comparison;
  const RowsByKey rows_before = rows_by_key(before), rows_after = rows_by_key(after);
  std::vector<double> gains;
  for (const auto& [key, row] : rows_before) {
    const auto other = rows_after.find(key);
    if (other == rows_after.end()) {
      comparison.only_before.push_back(text_of(*row));
    } else {
      judge(*row, *other->second, comparison, gains);
    }
  }
  for (const auto& [key, row] : rows_after) {
    if (!rows_before.contains(key)) comparison.only_after.push_back(text_of(*row));
  }
  if (!gains.empty()) comparison.geomean = geometric_mean(gains);
  const auto by_size = [](const Change& one, const Change& other) {
    return std::abs(one.change) > std::abs(other.change);
  };
  std::sort(comparison.slower.begin(), comparison.slower.end(), by_size);
  std::sort(comparison.quicker.begin(), comparison.quicker.end(), by_size);
  comparison.conditions = changed_conditions(before.conditions, after.conditions);
  return comparison;
}

}  // namespace ladder::bench
