// SPDX-License-Identifier: MIT
// A rung with what the profiler saw of it, and which kernel of a profile belongs to which rung.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expectations.hpp"
#include "rung_choice.hpp"

namespace ladder::profile {

/// What `ladder launch` says of one rung, before it launches it for the profiler.
struct Launched {
  bench::RungChoice choice;
  int kernels = 0;  ///< that one call of it launches
};

/// "rung=r07:128x128x8 kernels=1"
std::string to_text(const Launched& launched);

/// Nothing where `line` is something else.
std::optional<Launched> launched_from(std::string_view line);

struct RungProfile {
  bench::RungChoice choice;
  std::vector<ProfiledKernel> kernels;  ///< as launched
  std::size_t longest = 0;              ///< which of them the figures speak of
  Figures figures;
};

struct Profile {
  bench::BenchProblem problem;
  std::vector<RungProfile> rungs;  ///< as launched
  std::string complaint;           ///< empty, or why kernels and rungs do not match
};

/// Hands the kernels out in the order of launches.
Profile profile_of(const bench::BenchProblem& problem, const std::vector<Launched>& launches,
                   std::vector<ProfiledKernel> kernels);

/// The highest of the numbered rungs below `rung` that were profiled, or null: what its figures are compared with.
const RungProfile* below(const Profile& profile, const RungProfile& rung);

/// What the rung was meant to move.
std::vector<Movement> movements(const Profile& profile, const RungProfile& rung);

}  // namespace ladder::profile
