// SPDX-License-Identifier: MIT
// Products with a narrow side whose wide operand lies along k in memory: rows of W times up to 8 lines of X.
//
// Idea: the lanes of a warp run along k, four steps of it each, so that a row is read in lines of 512 bytes, once; four
// rows share each value of X. Several steps are in flight at a time. The lanes' sums meet in a butterfly that halves
// the sums a lane holds each time it meets another, then the warps' of a block, then the blocks' of a tile.
// Tile: 4 rows a warp; 1, 2, 4 or 8 warps, and where rows are few several blocks, share K.
// Cost: up to 128 registers, two blocks a multiprocessor, 64 KiB in flight in them. Limit: the memory's speed.
#include <algorithm>
#include <limits>

#include "dot_feed.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

template <int NX>
using DotSmem = WideSmem<WIDE_WARPS * WIDE_ROWS * NX>;

template <int NX, bool QUADS, Form FORM>
__global__ void __launch_bounds__(WIDE_THREADS, WIDE_BLOCKS)
    sgemm_dot(const GemmProduct first, const BatchLayout given_layout, const Epilogue given,
              const WideProduct first_wide, const WidePlan plan) {
  const BatchLayout layout = layout_in<FORM>(given_layout);
  const Epilogue epilogue = epilogue_in<FORM>(given);
  // Locate: this warp's rows and slice of k
  if (is_beyond(layout)) return;
  const Scalars s = load_scalars(first, epilogue);
  if (leaves_c_alone(s, epilogue)) return;
  const WideProduct v = wide_of_block<!QUADS>(first_wide, layout, s);
  DotSmem<NX>& smem = block_smem<DotSmem<NX>>();
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const int warp_k = warp % plan.warps_k;
  const int warp_row = warp / plan.warps_k * WIDE_ROWS;
  const int tile_rows = WIDE_WARPS / plan.warps_k * WIDE_ROWS;
  const auto parts = static_cast<unsigned>(plan.parts);
  const std::int64_t row0 = std::int64_t{blockIdx.x / parts} * tile_rows;
  const int part = blockIdx.x % parts;

  // Compute
  if (row0 + warp_row < v.rows) {
    const KSlice slice = slice_of_k<DOT_STEP>(plan, mainloop_k(first, s), part * plan.warps_k + warp_k);
    DotFeed<NX, QUADS> feed(v, row0 + warp_row, slice.begin, lane);
    WideSums<DotFeed<NX, QUADS>> sums;
    sums.add_slice(feed, slice);

    // Sum over the lanes
    constexpr int SUMS = WIDE_ROWS * NX;
    float by_line[SUMS];
#pragma unroll
    for (int i = 0; i < SUMS; ++i) by_line[i] = sums.of[i % WIDE_ROWS][i / WIDE_ROWS];
    add_lanes<SUMS>(by_line, lane);
    constexpr int HOLDERS = warp_size / SUMS;
    const int sum = lane / HOLDERS;
    const int line = sum / WIDE_ROWS;
    float* to = smem.sums + (warp_k * NX + line) * tile_rows + warp_row + sum % WIDE_ROWS;
    if (lane % HOLDERS == 0) *to = by_line[0];
  }

  // Sum over the warps and blocks, epilogue
  finish_tile(smem, v, layout, WideEpilogue{first, s, epilogue}, plan, row0, tile_rows, NX * tile_rows);
}

// ---------------------------------------------------------------------------------------- host side

// How many warps, and blocks, share the rows' K: as few as fill the card evenly.
WidePlan plan_dot(const GemmProblem& p, WideSide side, int multiprocessors) {
  constexpr std::int64_t overhead_steps = 4;  // what a block costs beside its steps
  constexpr std::int64_t fewest_steps = 4;    // of a warp, for a part to be worth its way through memory
  const std::int64_t row_groups = ceil_div(side == WideSide::a ? p.m : p.n, WIDE_ROWS);
  const std::int64_t steps = p.k / DOT_STEP;
  WidePlan plan{};
  plan.parts = 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t blocks = 1;
  for (int warps_k = 1; warps_k <= WIDE_WARPS && (warps_k == 1 || warps_k <= steps); warps_k *= 2) {
    const std::int64_t these = ceil_div(row_groups, WIDE_WARPS / warps_k) * p.batch;
    const std::int64_t rounds = std::max<std::int64_t>(ceil_div(these, multiprocessors), WIDE_BLOCKS);
    const std::int64_t time = rounds * (ceil_div(steps, warps_k) + overhead_steps);
    if (time < least) plan.warps_k = warps_k, blocks = these, least = time;
  }
  if (plan.warps_k == WIDE_WARPS) {
    const std::int64_t fitting = std::int64_t{WIDE_BLOCKS} * multiprocessors / blocks;
    plan.parts = static_cast<int>(
        std::clamp<std::int64_t>(steps / (WIDE_WARPS * fewest_steps), 1, std::max<std::int64_t>(fitting, 1)));
  }
  return plan;
}

template <int NX, bool QUADS>
LaunchStatus launch_lines(const GemmProblem& p, Stream stream, WideSide side, WidePlan plan) {
  const WideProduct wide = seen_wide(p, side);
  const std::int64_t tile_rows = WIDE_WARPS / plan.warps_k * WIDE_ROWS;
  const std::int64_t tiles = ceil_div(wide.rows, tile_rows);
  complete(plan, p.k / DOT_STEP, tiles * p.batch, NX * tile_rows, stream);
  return with_form(p, [&](auto form) {
    return launch<sgemm_dot<NX, QUADS, form()>, DotSmem<NX>>(tiles * plan.parts, WIDE_THREADS, stream, p, wide, plan);
  });
}

}  // namespace

LaunchStatus launch_dot(const GemmProblem& p, Stream stream) {
  const WideSide side = wide_side(p, Major::k);
  if (side == WideSide::none) return launch_not_supported;
  const WidePlan plan = plan_dot(p, side, std::max(device_traits().multiprocessors, 1));
  return with_narrow(seen_wide(p, side).lines, read_in_quads(p, side),
                     [&](auto lines, auto quads) { return launch_lines<lines(), quads()>(p, stream, side, plan); });
}

double dot_cycles(const GemmProblem& p, int multiprocessors) {
  const WideSide side = wide_side(p, Major::k);
  if (side == WideSide::none) return std::numeric_limits<double>::infinity();
  const WidePlan plan = plan_dot(p, side, multiprocessors);
  const std::int64_t rows = side == WideSide::a ? p.m : p.n;
  const std::int64_t blocks = ceil_div(rows, WIDE_WARPS / plan.warps_k * WIDE_ROWS) * p.batch * plan.parts;
  const double steps = static_cast<double>(ceil_div(p.k, std::int64_t{DOT_STEP} * plan.warps_k * plan.parts));
  return wide_cycles(p, multiprocessors, blocks, steps, plan.parts, read_in_quads(p, side));
}

}  // namespace ladder::LADDER_DEVICE
