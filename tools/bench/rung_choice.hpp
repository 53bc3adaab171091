// SPDX-License-Identifier: MIT
// Which rungs to time, as typed: "9", "all", "1-9", "9,9:warp_specialized_128x64", "auto"; and who serves a problem
// then.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gemm_problem.hpp"
#include "rung.hpp"

namespace ladder::bench {

/// A rung with its own choice of tile, or with one of its configurations forced.
struct RungChoice {
  const Rung* rung = nullptr;            ///< auto_entry() for what LADDER_RUNG=auto takes
  const KernelConfig* config = nullptr;  ///< null: the rung chooses; its launch() is of the GPU where there is CUDA

  /// "double_buffered" or "double_buffered:warp_specialized_128x64": what results call it.
  std::string name() const;
  /// "9", or the name of a rung without a number.
  std::string label() const;
};

/// Several with commas between them, each once, in that order: a number, name or id; "all" for every rung that has a
/// kernel; "auto"; "2-5" for those with these numbers; RUNG:CONFIG for a forced configuration and RUNG:all for all of
/// them. Nothing and a clause for people where one of them is no such thing; rung 0 is none, it is a peer.
std::optional<std::vector<RungChoice>> parse_rungs(std::string_view text, std::string& complaint);

/// Who serves the problem where the choice is wished for: the choice itself, another rung where its own declines the
/// problem, or what `auto` takes. Asks about the current device.
RungChoice server_of(const RungChoice& choice, const GemmProblem& problem);

}  // namespace ladder::bench
