// SPDX-License-Identifier: MIT
// One problem of a race of host doors: who is called when, and what came of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bench/results.hpp"
#include "host_door_contender.hpp"
#include "host_rest.hpp"

namespace ladder::bench {

/// One contender on one problem.
struct HostRun {
  explicit HostRun(HostContender* who, std::string why_not = {}) : contender(who), complaint(std::move(why_not)) {}

  HostContender* contender;
  std::string complaint;  ///< why it is out of the race
  double first_ms = 0.0;
  std::vector<double> ms;
  Judgement judgement{std::string(verdict_right), 0.0};
};

/// A first call of each contender, checked; samples in turns, run by run; another checked call. `samples` of each, few
/// where calls are very long. Everybody rests before a first call, and before each sample too where a CPU BLAS takes
/// part whose calls are long. In the order of the contenders; where nobody can be called at all, all have a complaint.
std::vector<HostRun> race_host_doors(const std::vector<HostContender*>& contenders, const HostTask& task, int samples,
                                     Rests& rests);

}  // namespace ladder::bench
