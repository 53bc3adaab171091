// SPDX-License-Identifier: MIT
// Products with a narrow side whose wide operand lies across k in memory: columns of W times up to 8 lines of X.
//
// Idea: the lanes of a warp run along the rows of W, four each, so that a column is read in lines of 512 bytes, once;
// all lanes share each value of X. Four columns make a step, and several steps are in flight at a time. Each warp has
// steps of its own; the warps' sums meet in shared memory, those of a tile's blocks in scratch memory.
// Tile: 128 rows; the 8 warps of a block, and several blocks where rows are few, share K. Or 32 rows, a quarter of a
// warp each for four columns of their own, where that gives every multiprocessor a whole tile: no sum has to go through
// scratch memory then.
// Cost: up to 128 registers, two blocks a multiprocessor, 64 KiB in flight in them; 255 registers and one block where
// tiles are short. Limit: the memory's speed.
#include <algorithm>
#include <limits>

#include "r09_members.hpp"
#include "wide_sums.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

// A tile whose rows LANES lanes cover: the others of a warp work on other columns of the same step.
template <int LANES_>
struct ColumnsTile {
  static constexpr int LANES = LANES_;
  static constexpr int ROWS = LANES * WIDE_ROWS;
  static constexpr int STEP = warp_size / LANES * vec;                 // of k
  static constexpr int BLOCKS = LANES == warp_size ? WIDE_BLOCKS : 1;  // resident
};

using TallTile = ColumnsTile<warp_size>;
using ShortTile = ColumnsTile<8>;

constexpr int short_limit = 2;  // lines of X, for the stages in flight to fit into registers

// How a warp reads the columns of W, and X. In quads each lane has four neighbours; else its rows are 32 apart, so that
// the lanes' are neighbours. A lane beyond the last row reads a row that another one has.
template <class Tile, int NX_, bool QUADS>
class ColumnsFeed {
 public:
  static constexpr int NX = NX_;
  static constexpr int STAGES = Tile::BLOCKS > 1 ? wide_stages(NX, QUADS) : 7;

  __device__ __forceinline__ ColumnsFeed(const WideProduct& v, std::int64_t row0, std::int64_t k0, int lane)
      : ldw_(v.ldw),
        x_line_(v.x_line),
        x_k_(v.x_k),
        lines_(v.lines),
        k_(lane / Tile::LANES * vec),
        w_(v.w + row0 + (k0 + k_) * v.ldw),
        x_(v.x + (k0 + k_) * v.x_k) {
    const int rows = panel_extent(v.rows - row0);
    const int row = lane % Tile::LANES;
    if (QUADS) {
      rows_[0] = std::min(row * vec, rows - vec);
    } else {
#pragma unroll
      for (int r = 0; r < WIDE_ROWS; ++r) rows_[r] = std::min(r * Tile::LANES + row, rows - 1);
    }
  }

  __device__ __forceinline__ void load_w(float4 (&w)[WIDE_ROWS]) {
#pragma unroll
    for (int j = 0; j < vec; ++j) {
      w[j] = column();
      w_ += ldw_;
    }
    if (Tile::STEP > vec) w_ += (Tile::STEP - vec) * ldw_;
  }

  __device__ __forceinline__ void load_x(float4 (&x)[NX]) {
    const float* line = x_;
#pragma unroll
    for (int l = 0; l < NX; ++l) {
      x[l] = QUADS ? *reinterpret_cast<const float4*>(line)
                   : make_float4(line[0], line[x_k_], line[2 * x_k_], line[3 * x_k_]);
      if (l + 1 < lines_) line += x_line_;
    }
    x_ += Tile::STEP * x_k_;
  }

  /// Residue step j of this lane exists.
  __device__ __forceinline__ bool has(int j, int residue) const { return k_ + j < residue; }

  __device__ __forceinline__ void load_residue(float4 (&w)[WIDE_ROWS], float4 (&x)[NX], int residue) {
    const float* line = x_;
#pragma unroll
    for (int l = 0; l < NX; ++l) {
      const auto at = [&](int j) { return has(j, residue) ? line[j * x_k_] : 0.0f; };
      x[l] = make_float4(at(0), at(1), at(2), at(3));
      if (l + 1 < lines_) line += x_line_;
    }
#pragma unroll
    for (int j = 0; j < vec; ++j) {
      w[j] = has(j, residue) ? column() : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      w_ += ldw_;
    }
  }

  static __device__ __forceinline__ float element(const float4 (&w)[WIDE_ROWS], int row, int j) {
    return component(w[j], row);
  }

 private:
  __device__ __forceinline__ float4 column() const {
    return QUADS ? load_once(w_ + rows_[0]) : make_float4(w_[rows_[0]], w_[rows_[1]], w_[rows_[2]], w_[rows_[3]]);
  }

  std::int64_t ldw_;
  std::int64_t x_line_;
  std::int64_t x_k_;
  int lines_;
  int k_;  // this lane's first step of k
  int rows_[WIDE_ROWS];
  const float* w_;
  const float* x_;
};

template <class Tile, int NX>
using ColumnsSmem = WideSmem<WIDE_WARPS * Tile::ROWS * NX>;

template <class Tile, int NX, bool QUADS, Form FORM>
__global__ void __launch_bounds__(WIDE_THREADS, Tile::BLOCKS)
    sgemm_columns(const GemmProduct first, const BatchLayout given_layout, const Epilogue given,
                  const WideProduct first_wide, const WidePlan plan) {
  const BatchLayout layout = layout_in<FORM>(given_layout);
  const Epilogue epilogue = epilogue_in<FORM>(given);
  // Locate: the block's rows and this warp's slice of k
  if (is_beyond(layout)) return;
  const Scalars s = load_scalars(first, epilogue);
  if (leaves_c_alone(s, epilogue)) return;
  const WideProduct v = wide_of_block<!QUADS>(first_wide, layout, s);
  ColumnsSmem<Tile, NX>& smem = block_smem<ColumnsSmem<Tile, NX>>();
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const auto parts = static_cast<unsigned>(plan.parts);
  const std::int64_t row0 = std::int64_t{blockIdx.x / parts} * Tile::ROWS;
  const int part = blockIdx.x % parts;

  // Compute
  const KSlice slice = slice_of_k<Tile::STEP>(plan, mainloop_k(first, s), part * WIDE_WARPS + warp);
  using Feed = ColumnsFeed<Tile, NX, QUADS>;
  Feed feed(v, row0, slice.begin, lane);
  WideSums<Feed> sums;
  sums.add_slice(feed, slice);

  // Sum over the lanes, warps and blocks, epilogue
#pragma unroll
  for (int line = 0; line < NX; ++line) {
    float* to = smem.sums + (warp * NX + line) * Tile::ROWS;
#pragma unroll
    for (int r = 0; r < WIDE_ROWS; ++r) {
      float sum = sums.of[r][line];
#pragma unroll
      for (int mask = Tile::LANES; mask < warp_size; mask *= 2) sum += shuffle_xor(sum, mask);
      if (lane < Tile::LANES) to[QUADS ? lane * vec + r : r * Tile::LANES + lane] = sum;
    }
  }
  finish_tile(smem, v, layout, WideEpilogue{first, s, epilogue}, plan, row0, Tile::ROWS, NX * Tile::ROWS);
}

// ---------------------------------------------------------------------------------------- host side

/// Tiles of a launch.
template <class Tile>
std::int64_t tiles_of(const GemmProblem& p, WideSide side) {
  return ceil_div(side == WideSide::a ? p.m : p.n, Tile::ROWS) * p.batch;
}

// How many blocks share a tall tile's K: as many as fill the card evenly.
WidePlan plan_columns(const GemmProblem& p, WideSide side, int multiprocessors) {
  constexpr std::int64_t overhead_steps = 6;  // what a part costs beside its steps
  constexpr std::int64_t fewest_steps = 4;    // of a warp, for a part to be worth its way through memory
  const std::int64_t tiles = tiles_of<TallTile>(p, side);
  const std::int64_t steps = p.k / TallTile::STEP;
  WidePlan plan{};
  plan.warps_k = WIDE_WARPS;
  plan.parts = 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto try_parts = [&](std::int64_t parts) {
    if (parts > 1 && parts * WIDE_WARPS * fewest_steps > steps) return;
    const std::int64_t rounds = std::max<std::int64_t>(ceil_div(tiles * parts, multiprocessors), WIDE_BLOCKS);
    const std::int64_t time = rounds * (ceil_div(steps, parts * WIDE_WARPS) + overhead_steps);
    if (time < least) plan.parts = static_cast<int>(parts), least = time;
  };
  constexpr std::int64_t most_tried = 16;
  for (std::int64_t parts = 1; parts <= most_tried; ++parts) try_parts(parts);
  const std::int64_t fitting = std::int64_t{WIDE_BLOCKS} * multiprocessors / tiles;
  const std::int64_t worthwhile = std::min(fitting, steps / (WIDE_WARPS * fewest_steps));
  if (worthwhile > most_tried) try_parts(worthwhile);
  return plan;
}

bool quads_of_rows(const GemmProblem& p, WideSide side) {
  return read_in_quads(p, side) && (side == WideSide::a ? p.m : p.n) % vec == 0;
}

/// Short tiles serve where tall ones would need parts and short ones leave few multiprocessors without one.
bool is_for_short_tiles(const GemmProblem& p, WideSide side, const WidePlan& tall, int multiprocessors) {
  const std::int64_t tiles = tiles_of<ShortTile>(p, side);
  const std::int64_t idle = ceil_div(tiles, multiprocessors) * multiprocessors - tiles;
  return tall.parts > 1 && (side == WideSide::a ? p.n : p.m) <= short_limit && quads_of_rows(p, side) &&
         10 * idle <= tiles;
}

template <class Tile, int NX, bool QUADS>
LaunchStatus launch_lines(const GemmProblem& p, Stream stream, WideSide side, WidePlan plan) {
  complete(plan, p.k / Tile::STEP, tiles_of<Tile>(p, side), NX * Tile::ROWS, stream);
  const std::int64_t blocks = tiles_of<Tile>(p, side) / p.batch * plan.parts;
  return with_form(p, [&](auto form) {
    return launch<sgemm_columns<Tile, NX, QUADS, form()>, ColumnsSmem<Tile, NX>>(blocks, WIDE_THREADS, stream, p,
                                                                                 seen_wide(p, side), plan);
  });
}

}  // namespace

LaunchStatus launch_columns(const GemmProblem& p, Stream stream) {
  const WideSide side = wide_side(p, Major::mn);
  if (side == WideSide::none) return launch_not_supported;
  const int multiprocessors = std::max(device_traits().multiprocessors, 1);
  WidePlan plan = plan_columns(p, side, multiprocessors);
  const int lines = seen_wide(p, side).lines;
  if (is_for_short_tiles(p, side, plan, multiprocessors)) {
    plan.parts = 1;
    return lines == 1 ? launch_lines<ShortTile, 1, true>(p, stream, side, plan)
                      : launch_lines<ShortTile, short_limit, true>(p, stream, side, plan);
  }
  return with_narrow(lines, quads_of_rows(p, side),
                     [&](auto nx, auto quads) { return launch_lines<TallTile, nx(), quads()>(p, stream, side, plan); });
}

double columns_cycles(const GemmProblem& p, int multiprocessors) {
  const WideSide side = wide_side(p, Major::mn);
  if (side == WideSide::none) return std::numeric_limits<double>::infinity();
  const WidePlan plan = plan_columns(p, side, multiprocessors);
  const bool is_short = is_for_short_tiles(p, side, plan, multiprocessors);
  const int parts = is_short ? 1 : plan.parts;
  const std::int64_t blocks = is_short ? tiles_of<ShortTile>(p, side) : tiles_of<TallTile>(p, side) * parts;
  const std::int64_t step = is_short ? ShortTile::STEP : TallTile::STEP;
  const auto steps = static_cast<double>(ceil_div(p.k, step * WIDE_WARPS * parts));
  return wide_cycles(p, multiprocessors, blocks, is_short ? steps / 2 : steps, parts, read_in_quads(p, side));
}

}  // namespace ladder::LADDER_DEVICE
