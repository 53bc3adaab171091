// SPDX-License-Identifier: MIT
#include "expectations.hpp"

#include <fmt/format.h>

#include <cmath>

namespace ladder::profile {

namespace {

using enum Figure;

// A new rung adds its lines here; a test holds that each has one.
constexpr Expectation table[] = {
    // Neither arithmetic nor DRAM is busy: the time goes into collecting scattered words
    {"r01", sm_throughput, Move::starts},
    {"r01", dram_throughput, Move::starts},
    // A warp's addresses fall into one line
    {"r02", sectors_per_request, Move::falls},
    // Bytes come once a block, and again out of shared memory; the number of loads stays
    {"r03", l1_traffic, Move::falls},
    {"r03", shared_wavefronts, Move::rises},
    {"r03", loads_per_ffma, Move::follows},
    // One value of B serves TM results
    {"r04", shared_loads_per_ffma, Move::falls},
    // TM + TN loads serve TM x TN results; fewer warps fit, and fewer are needed
    {"r05", shared_loads_per_ffma, Move::falls},
    {"r05", fma_pipe, Move::rises},
    {"r05", occupancy, Move::falls},
    // One instruction moves four floats
    {"r06", loads_per_ffma, Move::falls},
    // Rows that start in other banks
    {"r06p", bank_conflicts, Move::falls},
    {"r06s", bank_conflicts, Move::falls},
    // The tile decides how many blocks fit
    {"r07", occupancy, Move::follows},
    {"r07", fma_pipe, Move::rises},
    // Lanes arranged so that each access is one wavefront a quad
    {"r08", bank_conflicts, Move::falls},
    {"r08", issue_slots, Move::rises},
    // Slabs arrive while others are computed, and warps wait for data only, not for one another
    {"r09", stalled_long_scoreboard, Move::falls},
    {"r09", stalled_barrier, Move::falls},
};

constexpr double still = 0.01;  // relative change that counts as none

std::optional<bool> verdict(Move move, std::optional<double> before, std::optional<double> after) {
  if (!before || !after || move == Move::starts || move == Move::follows) return std::nullopt;
  const double change = *after - *before;
  if (std::abs(change) <= still * std::abs(*before)) return false;
  return (change > 0.0) == (move == Move::rises);
}

}  // namespace

std::span<const Expectation> expectations() { return table; }

Movement movement_of(const Expectation& meant, const Figures& figures, const Figures* below) {
  const auto before = below == nullptr ? std::nullopt : (*below)[meant.figure];
  const auto after = figures[meant.figure];
  return {meant, before, after, verdict(meant.move, before, after)};
}

std::string to_text(const Movement& movement) {
  const auto& [meant, before, after, as_meant] = movement;
  const char* heading = name_of(meant.figure).heading;
  const std::string now = value_text(meant.figure, after);
  if (meant.move == Move::starts) return fmt::format("{}: the ladder starts at {}", heading, now);
  const std::string change = fmt::format("{} -> {}", value_text(meant.figure, before), now);
  if (meant.move == Move::follows) return fmt::format("{} follows: {}", heading, change);
  const char* end = !as_meant ? "" : *as_meant ? ", and did" : ", and did not";
  return fmt::format("{} was to {}: {}{}", heading, meant.move == Move::falls ? "fall" : "rise", change, end);
}

}  // namespace ladder::profile
