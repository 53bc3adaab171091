// SPDX-License-Identifier: MIT
// A row of results for tests: right, and `ratio` times as quick as its peer.
#pragma once

#include <string>

#include "bench/results.hpp"

namespace ladder::bench {

inline BenchRow row_of(const std::string& category, std::int64_t n, double ms, double ratio) {
  BenchRow row;
  row.problem.category = category;
  row.problem.m = row.problem.n = row.problem.k = n;
  row.problem = with_leading_dimensions(row.problem);
  row.rung = std::string("9");  // GCC 12 warns of the literal
  row.name = "double_buffered";
  row.data = "normal";
  row.cache = "cold";
  row.samples = 15;
  row.time = {ms, ms, ms};
  row.peer = "cublas";
  row.peer_time = Spread{ms * ratio, ms * ratio, ms * ratio};
  row.verdict = verdict_right;
  return row;
}

}  // namespace ladder::bench
