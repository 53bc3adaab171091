// SPDX-License-Identifier: MIT
// One line of the library's own log (LADDER_LOG=call), to be timed again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench_problem.hpp"

namespace ladder::bench {

struct Replay {
  BenchProblem problem;            ///< category "replay"
  float alpha = 1.0f;              ///< 1 where the log says "device": the value was never on the host
  float beta = 0.0f;               ///< 0 likewise
  bool scalars_on_device = false;  ///< alpha or beta was one of these
  std::string epilogue;            ///< "bias,gelu"; empty where the product is all there was
  std::string rung;                ///< "9", "r06p"; empty where no rung of ours served the call
};

/// Reads the `key=value` words of the line in any order; op, m, n and k are required, unknown keys are skipped.
/// Nothing and a clause for people where the line is no such call.
std::optional<Replay> parse_replay(std::string_view line, std::string& complaint);

}  // namespace ladder::bench
