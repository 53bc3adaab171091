// SPDX-License-Identifier: MIT
// Products with a narrow side whose wide operand lies across k in memory: columns of W times up to 8 lines of X.
//
// Idea: the lanes of a warp run along the rows of W, four each, so that a column is read in lines of 512 bytes, once;
// all lanes share each value of X. Four columns make a step, and several steps are in flight at a time. Each warp has
// steps of its own; the warps' sums meet in shared memory, those of a tile's blocks in scratch memory.
// Tile: 128 rows; the 8 warps of a block, and several blocks where rows are few, share K.
// Cost: up to 128 registers, two blocks a multiprocessor, 64 KiB in flight in them. Limit: the memory's speed.
#include <algorithm>
#include <limits>

#include "r09_members.hpp"
#include "wide_sums.cuh"

namespace ladder::LADDER_DEVICE {

namespace {

constexpr int STEP = vec;  // of k
constexpr int TILE_ROWS = warp_size * WIDE_ROWS;

// How a warp reads the columns of W, and X. In quads each lane has four neighbours; else its rows are 32 apart, so that
// the lanes' are neighbours. A lane beyond the last row reads a row that another one has.
template <int NX_, bool QUADS>
class ColumnsFeed {
 public:
  static constexpr int NX = NX_;
  static constexpr bool in_quads = QUADS;

  __device__ __forceinline__ ColumnsFeed(const WideProduct& v, std::int64_t row0, std::int64_t k0, int lane)
      : ldw_(v.ldw),
        x_line_(v.x_line),
        x_k_(v.x_k),
        lines_(v.lines),
        w_(v.w + row0 + k0 * v.ldw),
        x_(v.x + k0 * v.x_k) {
    const int rows = panel_extent(v.rows - row0);
    if (QUADS) {
      rows_[0] = std::min(lane * vec, rows - vec);
    } else {
#pragma unroll
      for (int r = 0; r < WIDE_ROWS; ++r) rows_[r] = std::min(r * warp_size + lane, rows - 1);
    }
  }

  __device__ __forceinline__ void load_w(float4 (&w)[WIDE_ROWS]) {
#pragma unroll
    for (int j = 0; j < vec; ++j) {
      w[j] = column();
      w_ += ldw_;
    }
  }

  __device__ __forceinline__ void load_x(float4 (&x)[NX]) {
    const float* line = x_;
#pragma unroll
    for (int l = 0; l < NX; ++l) {
      x[l] = QUADS ? *reinterpret_cast<const float4*>(line)
                   : make_float4(line[0], line[x_k_], line[2 * x_k_], line[3 * x_k_]);
      if (l + 1 < lines_) line += x_line_;
    }
    x_ += STEP * x_k_;
  }

  /// Residue step j exists.
  __device__ __forceinline__ bool has(int j, int residue) const { return j < residue; }

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
  int rows_[WIDE_ROWS];
  const float* w_;
  const float* x_;
};

template <int NX>
using ColumnsSmem = WideSmem<WIDE_WARPS * TILE_ROWS * NX>;

template <int NX, bool QUADS>
__global__ void __launch_bounds__(WIDE_THREADS, WIDE_BLOCKS)
    sgemm_columns(const GemmProduct first, const BatchLayout layout, const WideProduct first_wide,
                  const WidePlan plan) {
  // Locate: the block's rows and this warp's slice of k
  const GemmProduct p = product_of_block(first, layout);
  const Scalars s = load_scalars(p);
  if (leaves_c_alone(s)) return;
  const WideProduct v = wide_of_block(first_wide, layout, plan.stride_w, plan.stride_x);
  ColumnsSmem<NX>& smem = block_smem<ColumnsSmem<NX>>();
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const auto parts = static_cast<unsigned>(plan.parts);
  const std::int64_t row0 = std::int64_t{blockIdx.x / parts} * TILE_ROWS;
  const int part = blockIdx.x % parts;

  // Compute
  const KSlice slice = slice_of_k<STEP>(plan, mainloop_k(p, s), part * WIDE_WARPS + warp);
  ColumnsFeed<NX, QUADS> feed(v, row0, slice.begin, lane);
  WideSums<ColumnsFeed<NX, QUADS>> sums;
  sums.add_slice(feed, slice);

  // Sum over the warps and blocks, epilogue
#pragma unroll
  for (int line = 0; line < NX; ++line) {
    float* to = smem.sums + (warp * NX + line) * TILE_ROWS;
#pragma unroll
    for (int r = 0; r < WIDE_ROWS; ++r) to[QUADS ? lane * vec + r : r * warp_size + lane] = sums.of[r][line];
  }
  finish_tile(smem, v, s, plan, row0, TILE_ROWS, NX * TILE_ROWS);
}

// ---------------------------------------------------------------------------------------- host side

// How many blocks share a tile's K: as many as fill the card evenly.
WidePlan plan_columns(const GemmProblem& p, WideSide side, int multiprocessors) {
  constexpr std::int64_t overhead_steps = 6;  // what a part costs beside its steps
  constexpr std::int64_t fewest_steps = 4;    // of a warp, for a part to be worth its way through memory
  const std::int64_t tiles = ceil_div(side == WideSide::a ? p.m : p.n, TILE_ROWS) * p.batch;
  const std::int64_t steps = p.k / STEP;
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

template <int NX, bool QUADS>
LaunchStatus launch_lines(const GemmProblem& p, Stream stream, WideSide side, WidePlan plan) {
  const WideProduct wide = seen_wide(p, side);
  const std::int64_t tiles = ceil_div(wide.rows, TILE_ROWS);
  complete(plan, p, side, p.k / STEP, tiles * p.batch, NX * TILE_ROWS, stream);
  return launch<sgemm_columns<NX, QUADS>, ColumnsSmem<NX>>(tiles * plan.parts, WIDE_THREADS, stream, p, wide, plan);
}

}  // namespace

LaunchStatus launch_columns(const GemmProblem& p, Stream stream) {
  const WideSide side = wide_side(p, Major::mn);
  if (side == WideSide::none) return launch_not_supported;
  const WidePlan plan = plan_columns(p, side, std::max(device_traits().multiprocessors, 1));
  const WideProduct wide = seen_wide(p, side);
  const bool quads_of_rows = read_in_quads(p, side) && wide.rows % vec == 0;
  return with_narrow(wide.lines, quads_of_rows,
                     [&](auto lines, auto quads) { return launch_lines<lines(), quads()>(p, stream, side, plan); });
}

double columns_cycles(const GemmProblem& p, int multiprocessors) {
  const WideSide side = wide_side(p, Major::mn);
  if (side == WideSide::none) return std::numeric_limits<double>::infinity();
  const WidePlan plan = plan_columns(p, side, multiprocessors);
  const std::int64_t blocks = ceil_div(side == WideSide::a ? p.m : p.n, TILE_ROWS) * p.batch * plan.parts;
  const double steps = static_cast<double>(ceil_div(p.k, std::int64_t{STEP} * WIDE_WARPS * plan.parts));
  return wide_cycles(p, multiprocessors, blocks, steps, plan.parts, read_in_quads(p, side));
}

}  // namespace ladder::LADDER_DEVICE
