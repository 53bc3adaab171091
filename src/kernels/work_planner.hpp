// SPDX-License-Identifier: MIT
// Plans how a tile's kernel works through a problem, and predicts how long that takes.
#pragma once

#include "gemm_problem.hpp"
#include "work_plan.hpp"

namespace ladder {

/// What the planner knows of a kernel: its tile, how many of its blocks a multiprocessor holds, the share of the
/// peak that one of them reaches alone and all of them together, and that peak: FMAs of a multiprocessor in a cycle.
struct TileTraits {
  int bm;
  int bn;
  int bk;
  int resident;
  double alone;
  double together;
  double fma_per_cycle = 128.0;
};

struct PlannedWork {
  WorkPlan plan;
  std::int64_t blocks = 0;
  double cycles = 0.0;  ///< of the multiprocessors' clock, launch to end; infinite where there is no plan
};

/// The quickest plan, by the model. `may_split`: sums may be taken in blocks of k, and there is scratch memory for
/// them (its addresses are the caller's to fill in). Well under a microsecond; no allocation.
PlannedWork plan_work(const GemmProblem& problem, const TileTraits& tile, int multiprocessors, bool may_split);

/// True where the plan's blocks leave sums in scratch memory.
bool needs_scratch(const WorkPlan& plan);

}  // namespace ladder
