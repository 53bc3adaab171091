// SPDX-License-Identifier: MIT
// The configurations of rung 9 that live in files of their own: what they define for its table.
#pragma once

#include "device.cuh"

namespace ladder::LADDER_DEVICE {

#define MEMBER(name, bm, bn, bk, stages, launch, predicted_cycles, sums) \
  LaunchStatus launch(const GemmProblem& problem, Stream stream);        \
  double predicted_cycles(const GemmProblem& problem, int multiprocessors);
#include "r09_members.def"
#undef MEMBER

}  // namespace ladder::LADDER_DEVICE
