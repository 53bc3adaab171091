// SPDX-License-Identifier: MIT
#include "work_planner.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "grid_extents.hpp"
#include "scratch.hpp"

namespace ladder {

namespace {

constexpr double memory_bytes_per_cycle = 16;  // that one multiprocessor has of the memory's rate: H200, 4.2 TB/s
constexpr double part_bytes_per_cycle = 32;    // of one block that reads or writes parts in the L2 cache
constexpr double start_cycles = 9000;          // launch, first loads, the end
constexpr double join_cycles = 5000;           // store, ticket, first load: once around the L2 cache and more
constexpr int widest_group = 12;
constexpr int k_of_block = 2048;  // halves the error of a sum over 4096 and costs half a percent
constexpr int shortest_run = 4;   // slabs worth a block of their own

constexpr int every_lane = 32;

constinit std::atomic<bool> arrives_by_lane{false};

class Planner {
 public:
  Planner(const GemmProblem& p, const TileTraits& tile, int multiprocessors, bool may_split)
      : tile_(tile), multiprocessors_(multiprocessors), may_split_(may_split) {
    const std::int64_t tiles_m = ceil_div(p.m, tile.bm);
    const std::int64_t tiles_n = ceil_div(p.n, tile.bn);
    tiles_ = static_cast<double>(tiles_m) * static_cast<double>(tiles_n) * static_cast<double>(p.batch);
    const std::int64_t slabs = ceil_div(p.k, tile.bk);
    constexpr double largest = std::numeric_limits<std::int32_t>::max() / 2;  // mainloops count half slabs
    if (tiles_ > largest || static_cast<double>(slabs) > largest) return;
    possible_ = true;
    common_.tiles_m = static_cast<std::uint32_t>(tiles_m);
    common_.tiles_n = static_cast<std::uint32_t>(tiles_n);
    common_.tiles = static_cast<std::uint32_t>(tiles_);
    common_.slabs = common_.slots = static_cast<int>(slabs);
    common_.widest_group = widest_group;
    common_.arrivals_per_warp = every_lane_arrives() ? every_lane : 1;
    common_.block_slabs = may_split ? k_of_block / tile.bk : std::numeric_limits<int>::max();
    slab_cycles_ = tile.bm * tile.bn * tile.bk / tile.fma_per_cycle;
    const double operand_floats = static_cast<double>(p.k) * static_cast<double>(p.m + p.n);
    const double result_floats = static_cast<double>(p.m) * static_cast<double>(p.n);
    floor_cycles_ = sizeof(float) * static_cast<double>(p.batch) * (operand_floats + result_floats) /
                    (memory_bytes_per_cycle * multiprocessors);
  }

  PlannedWork best() {
    if (!possible_) return {{}, 0, std::numeric_limits<double>::infinity()};
    whole_tiles();
    if (may_split_ && common_.slabs >= 2 * shortest_run) {
      for (int resident = 1; resident <= tile_.resident; ++resident) {
        stream(resident);
        even_parts(static_cast<int>(resident * multiprocessors_ / tiles_));
      }
    }
    return best_;
  }

 private:
  // Cycles of `slabs` slabs on a multiprocessor that holds `resident` blocks.
  double busy_cycles(double slabs, double resident) const {
    return slabs * slab_cycles_ * resident / std::min(tile_.together, resident * tile_.alone);
  }

  double join_time(double sharers) const {
    if (sharers <= 1) return 0.0;
    const double levels = sharers > widest_group ? 2 : 1;
    const double read = sharers > widest_group ? 2 * std::sqrt(sharers) : sharers;
    return levels * join_cycles + (levels + read) * sizeof(float) * tile_.bm * tile_.bn / part_bytes_per_cycle;
  }

  void consider(const WorkPlan& plan, double blocks, double mainloop_cycles, double other_cycles) {
    const double cycles = start_cycles + std::max(mainloop_cycles, floor_cycles_) + other_cycles;
    if (best_.blocks > 0 && cycles >= best_.cycles) return;
    best_ = {plan, static_cast<std::int64_t>(blocks), cycles};
  }

  // Blocks count the slots of all split tiles in 32 bits, a run beyond them too.
  bool fits_scratch(double blocks, double split_tiles) const {
    if (2 * split_tiles * common_.slabs > std::numeric_limits<int>::max()) return false;
    return parts_per_block * blocks * tile_.bm * tile_.bn <= static_cast<double>(scratch_floats) &&
           blocks + split_tiles <= static_cast<double>(scratch_tickets);
  }

  void whole_tiles() {
    const double blocks = std::min(tiles_, static_cast<double>(multiprocessors_) * tile_.resident);
    WorkPlan plan = common_;
    if (!fits_scratch(blocks, 0)) plan.block_slabs = std::numeric_limits<int>::max();
    const double rounds = std::floor(tiles_ / blocks);
    const double rest = std::ceil((tiles_ - rounds * blocks) / multiprocessors_);
    const double resident = std::ceil(blocks / multiprocessors_);
    consider(plan, blocks,
             rounds * busy_cycles(common_.slabs, resident) + (rest > 0 ? busy_cycles(common_.slabs, rest) : 0), 0);
  }

  // Every block has a run of equal length; whole tiles follow where there are more than one for each block.
  void stream(int resident) {
    const double most = static_cast<double>(multiprocessors_) * resident;
    if (tiles_ >= most && resident < tile_.resident) return;
    const double rest = tiles_ - std::floor(tiles_ / most) * most;
    if (rest == 0) return;
    const double split = tiles_ < most ? tiles_ : (2 * rest >= most ? rest : rest + most);
    const double slabs = split * common_.slabs;
    const double run = std::max(std::ceil(slabs / most), std::min<double>(shortest_run, common_.slabs));
    const double blocks = tiles_ < most ? std::ceil(slabs / run) : most;
    if (!fits_scratch(blocks, split)) return;
    WorkPlan plan = common_;
    plan.split_tiles = static_cast<std::uint32_t>(split);
    plan.run = static_cast<int>(run);
    const double sharers = std::ceil(common_.slabs / run) + 1;
    plan.group = static_cast<int>(std::ceil(std::sqrt(sharers)));
    const double whole = (tiles_ - split) / most * common_.slabs;
    consider(plan, blocks, busy_cycles(run + whole, std::ceil(blocks / multiprocessors_)), join_time(sharers));
  }

  // Every tile is cut into `parts` parts alike.
  void even_parts(int parts) {
    if (parts < 2) return;
    const std::int64_t run = std::max<std::int64_t>(ceil_div(common_.slabs, parts), shortest_run);
    const std::int64_t sharers = ceil_div(common_.slabs, run);
    const double blocks = tiles_ * static_cast<double>(sharers);
    if (sharers < 2 || !fits_scratch(blocks, tiles_)) return;
    WorkPlan plan = common_;
    plan.split_tiles = common_.tiles;
    plan.run = static_cast<int>(run);
    plan.slots = static_cast<int>(run * sharers);
    plan.group = static_cast<int>(std::ceil(std::sqrt(static_cast<double>(sharers))));
    consider(plan, blocks, busy_cycles(static_cast<double>(run), std::ceil(blocks / multiprocessors_)),
             join_time(static_cast<double>(sharers)));
  }

  TileTraits tile_;
  double multiprocessors_;
  bool may_split_;
  bool possible_ = false;
  double tiles_ = 0;
  double slab_cycles_ = 0;
  double floor_cycles_ = 0;
  WorkPlan common_;
  PlannedWork best_;
};

}  // namespace

PlannedWork plan_work(const GemmProblem& problem, const TileTraits& tile, int multiprocessors, bool may_split) {
  return Planner(problem, tile, multiprocessors, may_split).best();
}

void set_every_lane_arrives(bool wanted) { arrives_by_lane.store(wanted, std::memory_order_relaxed); }

bool every_lane_arrives() { return arrives_by_lane.load(std::memory_order_relaxed); }

bool needs_scratch(const WorkPlan& plan) { return plan.split_tiles > 0 || plan.slabs > plan.block_slabs; }

}  // namespace ladder
