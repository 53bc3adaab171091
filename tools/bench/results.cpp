// SPDX-License-Identifier: MIT
#include "results.hpp"

#include <cmath>
#include <limits>

namespace ladder::bench {

namespace {

constexpr double flops_per_millisecond_of_a_teraflop = 1e9;

bool is_time(double ms) { return std::isfinite(ms) && ms > 0.0; }

// Quartiles that are no numbers would let a change pass as spread.
bool is_spread(const Spread& time) {
  return is_time(time.q1) && is_time(time.median) && is_time(time.q3) && time.q1 <= time.median &&
         time.median <= time.q3;
}

}  // namespace

bool is_right(const BenchRow& row) {
  const bool within_bound = !row.worst_error || *row.worst_error <= 1.0;
  return row.verdict == verdict_right && within_bound && is_spread(row.time);
}

double tflops(const BenchRow& row) {
  if (!is_right(row)) return std::numeric_limits<double>::quiet_NaN();
  return flops(row.problem) / (row.time.median * flops_per_millisecond_of_a_teraflop);
}

std::optional<double> ratio(const BenchRow& row) {
  if (!is_right(row) || !row.peer_time || !is_time(row.peer_time->median)) return std::nullopt;
  return row.peer_time->median / row.time.median;
}

std::optional<double> share_of_floor(const BenchRow& row) {
  if (!is_right(row) || !row.floor_ms || !is_time(*row.floor_ms)) return std::nullopt;
  return *row.floor_ms / row.time.median;
}

}  // namespace ladder::bench
