// SPDX-License-Identifier: MIT
// Products with a narrow side whose wide operand lies along a short k in memory, mostly in batches: rows of W of at
// most 128 elements times up to 8 lines of X.
//
// Idea: a row is one read of a warp, so nothing is left to share along k. A warp keeps X in registers and walks over
// the rows, four at a time; the reads of the next rows are in flight while the lanes' sums of four rows meet in a
// butterfly and go straight to C.
// Tile: 4 rows a warp and turn. Cost: up to 128 registers, two blocks a multiprocessor, 96 KiB in flight in them.
// Limit: the memory's speed.
#include <algorithm>
#include <limits>

#include "dot_feed.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

struct RowsPlan {
  std::int64_t turns;  // of a warp
};

constexpr int TURN_ROWS = WIDE_WARPS * WIDE_ROWS;  // of a block

/// Which of the sums of four rows a lane holds after add_lanes().
template <int NX>
struct HeldSum {
  static constexpr int HOLDERS = warp_size / (WIDE_ROWS * NX);

  std::int64_t row;
  int line;
  bool exists;

  __device__ __forceinline__ HeldSum(const WideProduct& v, std::int64_t row0, int lane)
      : row(row0 + lane / HOLDERS % WIDE_ROWS),
        line(lane / HOLDERS / WIDE_ROWS),
        exists(lane % HOLDERS == 0 && row < v.rows && line < v.lines) {}

  __device__ __forceinline__ float* in_c(const WideProduct& v) const { return v.c + row * v.c_row + line * v.c_line; }
};

template <int NX>
__global__ void __launch_bounds__(WIDE_THREADS, WIDE_BLOCKS)
    sgemm_dot_rows(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue,
                   const WideProduct first_wide, const RowsPlan plan) {
  constexpr int STAGES = NX <= 2 ? 4 : NX <= 4 ? 3 : 2;
  if (is_beyond(layout)) return;
  const Scalars s = load_scalars(first, epilogue);
  if (leaves_c_alone(s, epilogue)) return;
  WideProduct v = wide_of_block<false>(first_wide, layout, s);
  v.c = c_at(first, layout, product_number());
  const int lane = threadIdx.x % warp_size;
  const std::int64_t warp_row = threadIdx.x / warp_size * WIDE_ROWS;
  const std::int64_t block_rows = plan.turns * TURN_ROWS;
  std::int64_t row = blockIdx.x * block_rows + warp_row;
  const std::int64_t end = std::min(row + block_rows, v.rows);

  // This lane's quad of X and, ahead, of the rows
  const float4 nothing = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  const bool has_quad = lane * vec < mainloop_k(first, s);
  float4 x[NX];
#pragma unroll
  for (int line = 0; line < NX; ++line) {
    const float* quad = v.x + line * v.x_line + lane * vec;
    x[line] = has_quad && line < v.lines ? *reinterpret_cast<const float4*>(quad) : nothing;
  }
  float4 w[STAGES][WIDE_ROWS];
  std::int64_t next_row = row;
  const float* next = v.w + row * v.ldw + lane * vec;
  const auto load = [&](int stage) {
    const float* quad = next;
#pragma unroll
    for (int r = 0; r < WIDE_ROWS; ++r) {
      w[stage][r] = has_quad && next_row + r < end ? load_once(quad) : nothing;
      quad += v.ldw;
    }
    next += TURN_ROWS * v.ldw;
    next_row += TURN_ROWS;
  };
#pragma unroll
  for (int stage = 0; stage < STAGES; ++stage) load(stage);

  // A sum of no products is -0, which changes nothing that it is added to.
  const float start = has_quad ? 0.0f : -0.0f;
#pragma unroll 1
  while (row < end) {
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) {
      if (row >= end) break;
      float sums[WIDE_ROWS * NX];
#pragma unroll
      for (int i = 0; i < WIDE_ROWS * NX; ++i) sums[i] = start;
      if (has_quad) {
#pragma unroll
        for (int j = 0; j < vec; ++j) {
#pragma unroll
          for (int i = 0; i < WIDE_ROWS * NX; ++i) {
            const float w_element = component(w[stage][i % WIDE_ROWS], j);
            sums[i] = __fmaf_rn(w_element, component(x[i / WIDE_ROWS], j), sums[i]);
          }
        }
      }
      load(stage);
      add_lanes<WIDE_ROWS * NX>(sums, lane);
      const HeldSum<NX> held(v, row, lane);
      if (held.exists) *held.in_c(v) = blend(s, sums[0], held.in_c(v));
      row += TURN_ROWS;
    }
  }

  // The rest of the epilogue
  if (epilogue.is_plain()) return;
#pragma unroll 1
  for (row = computed_again(static_cast<int>(blockIdx.x)) * block_rows + warp_row; row < end; row += TURN_ROWS) {
    const HeldSum<NX> held(v, row, lane);
    if (!held.exists) continue;
    float* c = held.in_c(v);
    *c = finished(epilogue, first, place_in_c(v, product_number(), held.row, held.line), *c);
  }
}

// ---------------------------------------------------------------------------------------- host side

/// The side that this kernel sees as W: its rows, and the lines of X, are whole quads of at most DOT_STEP.
WideSide rows_side(const GemmProblem& p) {
  const WideSide side = wide_side(p, Major::k);
  const bool serves = side != WideSide::none && p.k <= DOT_STEP && p.k % vec == 0 && read_in_quads(p, side);
  return serves ? side : WideSide::none;
}

/// As many turns as leave the last round of blocks little to wait for, and each enough to hide its start.
std::int64_t turns_of(const GemmProblem& p, WideSide side, int multiprocessors) {
  constexpr std::int64_t rounds = 8;
  constexpr std::int64_t fewest = 4;
  const std::int64_t turns = ceil_div(side == WideSide::a ? p.m : p.n, TURN_ROWS);
  const std::int64_t slots = rounds * WIDE_BLOCKS * multiprocessors;
  return std::min(turns, std::max(fewest, turns * p.batch / slots));
}

template <int NX>
LaunchStatus launch_lines(const GemmProblem& p, Stream stream, WideSide side) {
  const WideProduct wide = seen_wide(p, side);
  RowsPlan plan{};
  plan.turns = turns_of(p, side, std::max(device_traits().multiprocessors, 1));
  const std::int64_t blocks = ceil_div(wide.rows, plan.turns * TURN_ROWS);
  return launch<sgemm_dot_rows<NX>, NoSmem>(blocks, WIDE_THREADS, stream, p, wide, plan);
}

}  // namespace

LaunchStatus launch_dot_rows(const GemmProblem& p, Stream stream) {
  const WideSide side = rows_side(p);
  if (side == WideSide::none) return launch_not_supported;
  switch (side == WideSide::a ? p.n : p.m) {
    case 1:
      return launch_lines<1>(p, stream, side);
    case 2:
      return launch_lines<2>(p, stream, side);
    case 3:
    case 4:
      return launch_lines<4>(p, stream, side);
    default:
      return launch_lines<narrow_limit>(p, stream, side);
  }
}

double dot_rows_cycles(const GemmProblem& p, int multiprocessors) {
  constexpr double start_cycles = 9500;
  constexpr double bytes_per_cycle = 14.5;  // of a multiprocessor
  constexpr double turn_cycles = 500;       // of a block that has none to share its multiprocessor with
  const WideSide side = rows_side(p);
  if (side == WideSide::none) return std::numeric_limits<double>::infinity();
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double bytes = sizeof(float) * static_cast<double>(p.batch) * (m * k + k * n + m * n);
  const auto turns = static_cast<double>(turns_of(p, side, multiprocessors));
  return start_cycles + std::max(bytes / bytes_per_cycle / multiprocessors, turns * turn_cycles);
}

}  // namespace ladder::LADDER_DEVICE
