// SPDX-License-Identifier: MIT
#include "plane_planner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grid_extents.hpp"
#include "planes.hpp"
#include "scratch.hpp"
#include "work_plan.hpp"

namespace ladder {

namespace {

constexpr double start_cycles = 3000;        // until the first slab has come
constexpr double part_bytes_per_cycle = 40;  // of one multiprocessor, written or read
constexpr double join_cycles = 2000;         // a ticket and the way to the parts
constexpr std::int64_t many_shares = 32;     // more only where all run at once
constexpr int most_in_one_group = 8;
constexpr int shortest_share = 4;  // slabs
constexpr int lanes_of_warp = 32;

class Planner {
 public:
  Planner(const GemmProblem& p, const PlaneTileTraits& tile, int multiprocessors)
      : tile_(tile), multiprocessors_(multiprocessors), slabs_(ceil_div(p.k, slab_k)) {
    const std::int64_t tiles_m = ceil_div(p.m, tile.bm);
    const std::int64_t tiles_n = ceil_div(p.n, tile.bn);
    constexpr std::int64_t most_tiles = std::int64_t{1} << 26;  // of a product: counted in 32 bits with a band's width
    possible_ = tiles_m <= most_tiles / std::max<std::int64_t>(tiles_n, 1) && slabs_ <= std::numeric_limits<int>::max();
    if (!possible_) return;
    tiles_ = tiles_m * tiles_n * p.batch;
    common_.tiles_m = static_cast<std::uint32_t>(tiles_m);
    common_.tiles_n = static_cast<std::uint32_t>(tiles_n);
    common_.share_slabs = static_cast<int>(slabs_);
    if (every_lane_arrives()) common_.arrivals_per_warp = lanes_of_warp;
  }

  PlannedPlanes best(bool may_cut) {
    if (!possible_) return {{}, 0, std::numeric_limits<double>::infinity()};
    const std::int64_t rounds = tiles_ / multiprocessors_;
    const std::int64_t rest = tiles_ % multiprocessors_;
    consider_whole(rounds + (rest > 0 ? 1 : 0));
    if (may_cut && rest > 0 && slabs_ > 0) {
      const std::int64_t most = std::min(std::max(many_shares, multiprocessors_ / rest), slabs_ / shortest_share);
      for (int shares = 2; shares <= most; ++shares) consider_cut(rounds, rest, shares);
    }
    return best_;
  }

 private:
  double item_cycles(double slabs) const { return slabs * tile_.slab_cycles + tile_.tile_cycles; }

  void consider(const PlanePlan& plan, double cycles) {
    if (best_.blocks > 0 && start_cycles + cycles >= best_.cycles) return;
    best_ = {plan, std::min<std::int64_t>(plan.items, multiprocessors_), start_cycles + cycles};
  }

  void consider_whole(std::int64_t rounds) {
    PlanePlan plan = common_;
    plan.whole = plan.items = tiles_;
    consider(plan, static_cast<double>(rounds) * item_cycles(static_cast<double>(slabs_)));
  }

  /// Full rounds of whole tiles, then the rest in shares.
  void consider_cut(std::int64_t rounds, std::int64_t rest, int shares) {
    PlanePlan plan = common_;
    const std::int64_t chunks = ceil_div(ceil_div(slabs_, shares), tile_.chunk_slabs);
    plan.share_slabs = static_cast<int>(chunks * tile_.chunk_slabs);
    plan.shares = plan.group_shares = static_cast<int>(ceil_div(slabs_, plan.share_slabs));
    if (plan.shares < 2 || plan.share_slabs < shortest_share) return;
    if (plan.shares > most_in_one_group) group(plan);
    plan.whole = tiles_ - rest;
    plan.items = plan.whole + rest * plan.shares;
    if (part_floats(plan, tile_) > scratch_floats || rest * tickets_of_tile(plan) > scratch_tickets) return;
    const std::int64_t rounds_of_shares = ceil_div(rest * plan.shares, multiprocessors_);
    consider(plan, static_cast<double>(rounds) * item_cycles(static_cast<double>(slabs_)) +
                       static_cast<double>(rounds_of_shares) * item_cycles(plan.share_slabs) +
                       cycles_of_joins(plan, rounds_of_shares));
  }

  /// Groups as large as there are groups: no block adds up more parts than it must.
  static void group(PlanePlan& plan) {
    plan.group_shares = static_cast<int>(std::ceil(std::sqrt(plan.shares)));
    plan.groups = static_cast<int>(ceil_div(plan.shares, plan.group_shares));
  }

  double cycles_of_joins(const PlanePlan& plan, std::int64_t rounds_of_shares) const {
    const double part_cycles = sizeof(float) * static_cast<double>(tile_.bm) * tile_.bn / part_bytes_per_cycle;
    const double groups_cycles = plan.groups > 1 ? join_cycles + (1 + plan.groups) * part_cycles : 0.0;
    return static_cast<double>(rounds_of_shares) * part_cycles + join_cycles + plan.group_shares * part_cycles +
           groups_cycles;
  }

  PlaneTileTraits tile_;
  std::int64_t multiprocessors_;
  std::int64_t slabs_;
  std::int64_t tiles_ = 0;
  bool possible_ = false;
  PlanePlan common_;
  PlannedPlanes best_;
};

}  // namespace

PlannedPlanes plan_planes(const GemmProblem& problem, const PlaneTileTraits& tile, int multiprocessors, bool may_cut) {
  return Planner(problem, tile, multiprocessors).best(may_cut);
}

std::int64_t part_floats(const PlanePlan& plan, const PlaneTileTraits& tile) {
  return (plan.items - plan.whole) * tile.bm * tile.bn;
}

}  // namespace ladder
