// SPDX-License-Identifier: MIT
// How the tiles of a product of planes are shared out over the blocks, and how long that takes. Pure functions.
#pragma once

#include <cstdint>

#include "gemm_problem.hpp"

namespace ladder {

/// How the tiles of all products are shared out: first `whole` of them, one item each, then the others, cut along k
/// into `shares` items each. Block b does the items b, b + blocks, b + 2 * blocks ...
struct PlanePlan {
  std::uint32_t tiles_m = 0;
  std::uint32_t tiles_n = 0;
  std::int64_t whole = 0;  ///< tiles
  std::int64_t items = 0;
  int shares = 1;
  int group_shares = 1;              ///< shares that one block adds up, if there are several groups
  int groups = 1;                    ///< of a tile's shares
  int share_slabs = 0;               ///< slabs of a share; the last one may have fewer
  int arrivals_per_warp = 1;         ///< lanes that say that their warp has read a stage: see every_lane_arrives()
  float* parts = nullptr;            ///< where there are shares: BM * BN sums for each
  std::uint32_t* tickets = nullptr;  ///< and tickets_of_tile() counters for each tile that is cut
};

/// A counter for each group of a tile's shares, and one for the groups.
constexpr int tickets_of_tile(const PlanePlan& plan) { return plan.groups + 1; }

/// What the planner knows of a kernel. A block is alone on its multiprocessor.
struct PlaneTileTraits {
  int bm;
  int bn;
  int chunk_slabs;     ///< no share ends inside a chunk
  double slab_cycles;  ///< of a whole tile
  double tile_cycles;  ///< beside its slabs: the first copies, the epilogue
};

struct PlannedPlanes {
  PlanePlan plan;
  std::int64_t blocks = 0;
  double cycles = 0.0;  ///< of the busiest multiprocessor; infinite where the problem is beyond the kernel
};

/// `may_cut`: k may be cut between blocks.
PlannedPlanes plan_planes(const GemmProblem& problem, const PlaneTileTraits& tile, int multiprocessors, bool may_cut);

/// Floats of scratch memory that the plan's parts need.
std::int64_t part_floats(const PlanePlan& plan, const PlaneTileTraits& tile);

}  // namespace ladder
