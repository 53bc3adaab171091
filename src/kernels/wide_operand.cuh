// SPDX-License-Identifier: MIT
// A product with one narrow side, seen so that it does not matter which side that is, and how its kernels share K.
//
// C(row, line) = sum over k of W(row, k) X(line, k). W is the wide operand, read once from memory; X has few lines.
// K is cut into slices, each a warp's: the warps of a block add theirs up in shared memory, blocks in scratch memory.
#pragma once

#include <algorithm>

#include "device_traits.cuh"
#include "epilogue.cuh"
#include "operand.cuh"
#include "scratch.hpp"

namespace ladder::LADDER_DEVICE {

inline constexpr int narrow_limit = 8;  ///< lines of X at most
inline constexpr int WIDE_WARPS = 8;
inline constexpr int WIDE_THREADS = WIDE_WARPS * warp_size;
inline constexpr int WIDE_BLOCKS = 2;  ///< resident on a multiprocessor
inline constexpr int WIDE_ROWS = 4;    ///< rows of W whose sums a thread holds

/// Which of the operands is W. The other one is X.
enum class WideSide : std::uint8_t { none, a, b };

/// The operands of a product by what they are to its kernel.
struct WideProduct {
  const float* w;     ///< element (row, k) at row + k * ldw or k + row * ldw
  std::int64_t ldw;   ///< elements between two of its lines in memory
  std::int64_t rows;  ///< of W and of C as seen here
  const float* x;     ///< element (line, k) at line * x_line + k * x_k
  std::int64_t x_line;
  std::int64_t x_k;
  int lines;  ///< of X
  float* c;   ///< element (row, line) at row * c_row + line * c_line
  std::int64_t c_row;
  std::int64_t c_line;
};

__host__ __device__ __forceinline__ WideProduct seen_wide(const GemmProduct& p, WideSide side) {
  const bool a_is_x = side == WideSide::b;
  const bool x_is_k_major = a_is_x ? p.op_a == Op::transpose : p.op_b == Op::none;
  const std::int64_t ldx = a_is_x ? p.lda : p.ldb;
  WideProduct v;
  v.w = a_is_x ? p.b : p.a;
  v.ldw = a_is_x ? p.ldb : p.lda;
  v.rows = a_is_x ? p.n : p.m;
  v.x = a_is_x ? p.a : p.b;
  v.x_line = x_is_k_major ? ldx : 1;
  v.x_k = x_is_k_major ? 1 : ldx;
  v.lines = static_cast<int>(a_is_x ? p.m : p.n);
  v.c = p.c;
  v.c_row = a_is_x ? p.ldc : 1;
  v.c_line = a_is_x ? 1 : p.ldc;
  return v;
}

/// The side of the problem whose operand is wide and lies in memory along `major`, with at most narrow_limit lines on
/// the other side.
inline WideSide wide_side(const GemmProblem& p, Major major) {
  const bool a_serves = p.n <= narrow_limit && (p.op_a == Op::transpose) == (major == Major::k);
  const bool b_serves = p.m <= narrow_limit && (p.op_b == Op::none) == (major == Major::k);
  if (a_serves && (p.m >= p.n || !b_serves)) return WideSide::a;
  return b_serves ? WideSide::b : WideSide::none;
}

/// True where both operands may be read in 128-bit accesses: every fourth element of a line of W, and every fourth
/// step of k of a line of X.
inline bool read_in_quads(const GemmProblem& p, WideSide side) {
  const WideProduct v = seen_wide(p, side);
  const auto aligned = [&p](const float* first, std::int64_t ld, bool one_line, std::int64_t stride) {
    return quads_aligned(first, one_line ? 0 : ld) && (p.batch == 1 || stride % vec == 0);
  };
  const bool w_first = side == WideSide::a;
  return v.x_k == 1 && aligned(v.w, v.ldw, false, w_first ? p.stride_a : p.stride_b) &&
         aligned(v.x, v.x_line, v.lines == 1, w_first ? p.stride_b : p.stride_a);
}

// ---------------------------------------------------------------------------------------- the slices of K

/// How a launch cuts C into tiles of rows, and K into slices of whole steps; the last slice takes the residue too.
struct WidePlan {
  WideSide side;
  int warps_k;                   ///< slices that the warps of one block work on: a power of two
  int parts;                     ///< blocks that share a tile
  std::int64_t steps_per_slice;  ///< the first `longer_slices` have one more
  std::int64_t longer_slices;
  float* sums;             ///< of the parts, where there is more than one
  std::uint32_t* tickets;  ///< one for each tile
};

/// The steps of k of one warp.
struct KSlice {
  std::int64_t begin;
  std::int64_t steps;  ///< whole ones
  int residue;         ///< steps of k after them
};

template <int STEP>
__device__ __forceinline__ KSlice slice_of_k(const WidePlan& plan, std::int64_t k, int slice) {
  if (k == 0) return {0, 0, 0};
  const std::int64_t longer_before = slice < plan.longer_slices ? slice : plan.longer_slices;
  const std::int64_t steps = plan.steps_per_slice + (slice < plan.longer_slices ? 1 : 0);
  const bool last = slice == plan.parts * plan.warps_k - 1;
  return {(slice * plan.steps_per_slice + longer_before) * STEP, steps, last ? static_cast<int>(k % STEP) : 0};
}

/// Completes a plan whose side, warps_k and parts are known, for tiles of `floats` sums. Without scratch memory for
/// them the parts become one.
inline void cut_k(WidePlan& plan, std::int64_t steps, std::int64_t tiles, std::int64_t floats, Stream stream) {
  if (plan.parts > 1) {
    const Scratch scratch = scratch_of(stream);
    const bool fits = tiles <= scratch_tickets && tiles * plan.parts * floats <= scratch_floats;
    plan.sums = scratch.parts;
    plan.tickets = scratch.tickets;
    if (!fits || scratch.parts == nullptr) plan.parts = 1;
  }
  const std::int64_t slices = std::int64_t{plan.parts} * plan.warps_k;
  plan.steps_per_slice = steps / slices;
  plan.longer_slices = steps % slices;
}

// ---------------------------------------------------------------------------------------- mainloop

__device__ __forceinline__ float component(const float4& quad, int i) {
  return i == 0 ? quad.x : i == 1 ? quad.y : i == 2 ? quad.z : quad.w;
}

/// Sums of a thread over its slice of K. Feed says which elements of W and X make a step. The loads of the next STAGES
/// steps are in flight while one is added up; those of X too where they are few, else X comes from a cache in time.
template <class Feed>
struct WideSums {
  static constexpr int NX = Feed::NX;
  static constexpr int STAGES = NX == 1 ? 4 : NX <= 4 ? 3 : Feed::in_quads ? 2 : 1;
  static constexpr int X_STAGES = NX <= 2 ? STAGES : 1;

  float of[WIDE_ROWS][NX];

  __device__ __forceinline__ void add_slice(Feed& feed, const KSlice& slice) {
    // A sum of no products is -0, which changes nothing that it is added to.
    const float start = slice.steps > 0 || feed.has(0, slice.residue) ? 0.0f : -0.0f;
#pragma unroll
    for (int i = 0; i < WIDE_ROWS * NX; ++i) of[i / NX][i % NX] = start;

    float4 w[STAGES][WIDE_ROWS];
    float4 x[X_STAGES][NX];
    const auto load = [&](int stage) {
      feed.load_w(w[stage]);
      if constexpr (X_STAGES > 1) feed.load_x(x[stage]);
    };
#pragma unroll
    for (int stage = 0; stage < STAGES; ++stage) {
      if (stage < slice.steps) load(stage);
    }
#pragma unroll 1
    for (std::int64_t step = 0; step < slice.steps; step += STAGES) {
#pragma unroll
      for (int stage = 0; stage < STAGES; ++stage) {
        if (step + stage >= slice.steps) break;
        if constexpr (X_STAGES == 1) feed.load_x(x[0]);
#pragma unroll
        for (int j = 0; j < vec; ++j) add(w[stage], x[stage % X_STAGES], j);
        if (step + stage + STAGES < slice.steps) load(stage);
      }
    }
    if (slice.residue == 0) return;
    feed.load_residue(w[0], x[0], slice.residue);
#pragma unroll
    for (int j = 0; j < vec; ++j) {
      if (feed.has(j, slice.residue)) add(w[0], x[0], j);
    }
  }

 private:
  __device__ __forceinline__ void add(const float4 (&w)[WIDE_ROWS], const float4 (&x)[NX], int j) {
#pragma unroll
    for (int line = 0; line < NX; ++line) {
#pragma unroll
      for (int row = 0; row < WIDE_ROWS; ++row) {
        of[row][line] = __fmaf_rn(Feed::element(w, row, j), component(x[line], j), of[row][line]);
      }
    }
  }
};

// ---------------------------------------------------------------------------------------- the sum of all slices

/// Sums of a tile, line by line: those of each warp along K in turn, then those of groups of parts.
template <int FLOATS>
struct WideSmem {
  static constexpr int GROUP_FLOATS = WIDE_THREADS * vec;
  alignas(sizeof(float4)) float sums[FLOATS > GROUP_FLOATS ? FLOATS : GROUP_FLOATS];
  bool is_last;
};

/// The sum, in order, of element e of `count` tiles of `floats` sums that lie one after the other.
__device__ __forceinline__ float sum_in_order(const float* sums, int e, int count, int floats) {
  float sum = sums[e];
  for (int i = 1; i < count; ++i) sum += sums[i * floats + e];
  return sum;
}

/// What the last block of a tile does: group after group of parts is summed in order, each by some of the threads.
/// Returns how many groups there are; their sums are in shared memory.
__device__ __forceinline__ int sum_parts(float* smem, const float* tile_parts, int parts, int floats) {
  constexpr int most_groups = 16;
  const int quads = floats / vec;
  const int most = parts < most_groups ? parts : most_groups;
  const int groups = WIDE_THREADS / quads < most ? WIDE_THREADS / quads : most;
  const int group = static_cast<int>(threadIdx.x) / quads;
  if (group < groups) {
    const int first = static_cast<int>(threadIdx.x) % quads * vec;
    const int end = (group + 1) * parts / groups;
    int part = group * parts / groups;
    float4 sum = load_part(tile_parts + std::int64_t{part} * floats + first);
#pragma unroll 8
    for (++part; part < end; ++part) {
      const float4 more = load_part(tile_parts + std::int64_t{part} * floats + first);
      sum.x += more.x, sum.y += more.y, sum.z += more.z, sum.w += more.w;
    }
    *reinterpret_cast<float4*>(smem + group * floats + first) = sum;
  }
  __syncthreads();
  return groups;
}

/// Adds up what the warps of this block have left in shared memory, then, in the last block of the tile, what all of
/// its blocks have; blends the sums of the `tile_rows` rows from `row0` on into C.
template <class Smem>
__device__ __forceinline__ void finish_tile(Smem& smem, const WideProduct& v, const Scalars& s, const WidePlan& plan,
                                            std::int64_t row0, int tile_rows, int floats) {
  const int thread = static_cast<int>(threadIdx.x);
  int count = plan.warps_k;
  __syncthreads();
  if (plan.parts > 1) {
    const auto parts = static_cast<unsigned>(plan.parts);
    const std::int64_t product = static_cast<std::int64_t>(gridDim.y) * blockIdx.z + blockIdx.y;
    const std::int64_t tile = product * (gridDim.x / parts) + blockIdx.x / parts;
    float* tile_parts = plan.sums + tile * plan.parts * floats;
    float* own = tile_parts + std::int64_t{blockIdx.x % parts} * floats;
    for (int e = thread; e < floats; e += WIDE_THREADS) own[e] = sum_in_order(smem.sums, e, count, floats);
    __syncthreads();
    if (thread == 0) {
      smem.is_last = take_ticket(plan.tickets + tile) == parts - 1;
      if (smem.is_last) plan.tickets[tile] = 0;
    }
    __syncthreads();
    if (!smem.is_last) return;
    count = sum_parts(smem.sums, tile_parts, plan.parts, floats);
  }
  for (int e = thread; e < floats; e += WIDE_THREADS) {
    const std::int64_t row = row0 + e % tile_rows;
    const int line = e / tile_rows;
    if (row >= v.rows || line >= v.lines) continue;
    float* c = v.c + row * v.c_row + line * v.c_line;
    *c = blend(s, sum_in_order(smem.sums, e, count, floats), c);
  }
}

// ---------------------------------------------------------------------------------------- host side

/// Cycles of a launch of `blocks` blocks whose busiest warp takes `steps` steps: the memory's speed, the FMAs, or the
/// rounds of loads one after the other, whichever takes longest; and the way there and back.
inline double wide_cycles(const GemmProblem& p, int multiprocessors, std::int64_t blocks, double steps, int parts,
                          bool quads) {
  constexpr double bytes_per_cycle = 15.3;  // of a multiprocessor: 4.0 TB/s over 132 of them at 1.98 GHz
  constexpr double fmas_per_cycle = 70;     // of 128
  constexpr double load_cycles = 1500;      // from memory, others in the way
  constexpr double steps_in_flight = 3;
  constexpr double start_cycles = 6000;
  constexpr double parts_cycles = 4000;  // through scratch memory
  constexpr double slow_x = 2;           // where X is read element by element
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const auto batch = static_cast<double>(p.batch);
  const double share = batch / multiprocessors;
  const double stream = share * sizeof(float) * (m * k + k * n + m * n) / bytes_per_cycle;
  const double fmas = share * m * n * k / fmas_per_cycle * (quads ? 1 : slow_x);
  const double rounds = static_cast<double>(ceil_div(blocks, std::int64_t{WIDE_BLOCKS} * multiprocessors));
  const double loads = rounds * load_cycles * (1 + steps / steps_in_flight);
  return start_cycles + std::max({stream, fmas, loads}) + (parts > 1 ? parts_cycles : 0);
}

/// Calls launch_with(NX, QUADS) with two integral constants: the lines of X that a kernel is made for, and whether it
/// reads in quads.
template <class LaunchWith>
LaunchStatus with_narrow(const GemmProblem& p, WideSide side, const LaunchWith& launch_with) {
  const auto with_lines = [&](auto quads) {
    const int lines = seen_wide(p, side).lines;
    if (lines == 1) return launch_with(std::integral_constant<int, 1>{}, quads);
    if (lines == 2) return launch_with(std::integral_constant<int, 2>{}, quads);
    if (lines <= 4) return launch_with(std::integral_constant<int, 4>{}, quads);
    return launch_with(std::integral_constant<int, narrow_limit>{}, quads);
  };
  return read_in_quads(p, side) ? with_lines(std::true_type{}) : with_lines(std::false_type{});
}

}  // namespace ladder::LADDER_DEVICE
