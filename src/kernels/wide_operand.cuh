// SPDX-License-Identifier: MIT
// A product with one narrow side, seen so that it does not matter which side that is, and how its kernels share K.
//
// C(row, line) = sum over k of W(row, k) X(line, k). W is the wide operand, read once from memory; X has few lines.
// K is cut into slices, each a warp's. wide_sums.cuh adds them up.
#pragma once

#include <algorithm>

#include "device_traits.cuh"
#include "operand.cuh"
#include "scratch.hpp"

namespace ladder::LADDER_DEVICE {

inline constexpr int narrow_limit = 8;  ///< lines of X at most
inline constexpr int WIDE_WARPS = 8;
inline constexpr int WIDE_THREADS = WIDE_WARPS * warp_size;
inline constexpr int WIDE_BLOCKS = 2;  ///< resident on a multiprocessor
inline constexpr int WIDE_ROWS = 4;    ///< rows of W whose sums a thread holds

__device__ __forceinline__ float component(const float4& quad, int i) {
  return i == 0 ? quad.x : i == 1 ? quad.y : i == 2 ? quad.z : quad.w;
}

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
  int lines;    ///< of X
  bool a_is_x;  ///< rows of C as seen here are its columns
  float* c;     ///< element (row, line) at row * c_row + line * c_line
  std::int64_t c_row;
  std::int64_t c_line;
};

/// The first product of a problem.
inline WideProduct seen_wide(const GemmProduct& p, WideSide side) {
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
  v.a_is_x = a_is_x;
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
    return quads_in_batch(p, first, one_line ? 0 : ld, stride);
  };
  const bool w_first = side == WideSide::a;
  return v.x_k == 1 && aligned(v.w, v.ldw, false, w_first ? p.stride_a : p.stride_b) &&
         aligned(v.x, v.x_line, v.lines == 1, w_first ? p.stride_b : p.stride_a);
}

// ---------------------------------------------------------------------------------------- the slices of K

/// How a launch cuts C into tiles of rows, and K into slices of whole steps; the last slice takes the residue too.
struct WidePlan {
  int warps_k;                   ///< slices that the warps of one block work on: a power of two
  int parts;                     ///< blocks that share a tile
  std::int64_t steps_per_slice;  ///< the first `longer_slices` have one more
  std::int64_t longer_slices;
  float* sums;             ///< of the parts, where there is more than one
  std::uint32_t* tickets;  ///< one for each tile
};

/// The operands of the product that this block has a share in; C is left as it was. `FROM_ARRAYS`: their addresses may
/// lie in arrays, whose lines are not read in quads.
template <bool FROM_ARRAYS>
__device__ __forceinline__ WideProduct wide_of_block(const WideProduct& first, const BatchLayout& layout,
                                                     const Scalars& s) {
  const std::int64_t product = product_number();
  WideProduct v = first;
  if (!FROM_ARRAYS || layout.c_array == nullptr) {
    v.w += product * (first.a_is_x ? layout.stride_b : layout.stride_a);
    v.x += product * (first.a_is_x ? layout.stride_a : layout.stride_b);
  } else if (s.alpha != 0.0f) {
    v.w = in_global_memory((first.a_is_x ? layout.b_array : layout.a_array)[product]);
    v.x = in_global_memory((first.a_is_x ? layout.a_array : layout.b_array)[product]);
  } else {
    v.w = v.x = in_global_memory(layout.c_array[product]);  // nothing is read: any address will do
  }
  return v;
}

/// The part of k of one warp.
struct KSlice {
  std::int64_t begin;
  int steps;    ///< whole ones; operands of 2^31 of them would take a terabyte
  int residue;  ///< what is left of k after them
};

template <int STEP>
__device__ __forceinline__ KSlice slice_of_k(const WidePlan& plan, std::int64_t k, int slice) {
  if (k == 0) return {0, 0, 0};
  const std::int64_t longer_before = slice < plan.longer_slices ? slice : plan.longer_slices;
  const int steps = static_cast<int>(plan.steps_per_slice) + (slice < plan.longer_slices ? 1 : 0);
  const bool last = slice == plan.parts * plan.warps_k - 1;
  return {(slice * plan.steps_per_slice + longer_before) * STEP, steps, last ? static_cast<int>(k % STEP) : 0};
}

/// Completes a plan whose warps_k and parts are known: K of `steps` whole steps, and all products' `tiles` of `floats`
/// sums. Without scratch memory for them the parts become one.
inline void complete(WidePlan& plan, std::int64_t steps, std::int64_t tiles, std::int64_t floats, Stream stream) {
  if (plan.parts > 1) {
    const Scratch scratch = tiles <= scratch_tickets ? scratch_of(stream, tiles * plan.parts * floats) : Scratch{};
    plan.sums = scratch.parts;
    plan.tickets = scratch.tickets;
    if (scratch.parts == nullptr) plan.parts = 1;
  }
  const std::int64_t slices = std::int64_t{plan.parts} * plan.warps_k;
  plan.steps_per_slice = steps / slices;
  plan.longer_slices = steps % slices;
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
  constexpr double start_cycles = 9500;
  constexpr double parts_cycles = 4000;  // through scratch memory
  constexpr double slow_x = 2;           // where X is read element by element
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const auto batch = static_cast<double>(p.batch);
  const double share = batch / multiprocessors;
  const double stream = share * sizeof(float) * (m * k + k * n + m * n) / bytes_per_cycle;
  const double fmas = share * m * n * k / fmas_per_cycle * (quads ? 1 : slow_x);
  const double rounds = static_cast<double>(ceil_div(blocks, std::int64_t{WIDE_BLOCKS} * multiprocessors));
  const double loads = rounds * load_cycles * (2 + steps / steps_in_flight);
  return start_cycles + std::max({stream, fmas, loads}) + (parts > 1 ? parts_cycles : 0);
}

/// Calls launch_with(NX, QUADS) with two integral constants: the lines of X that a kernel is made for, and whether it
/// reads in quads.
template <class LaunchWith>
LaunchStatus with_narrow(int lines, bool in_quads, const LaunchWith& launch_with) {
  const auto with_lines = [&](auto quads) {
    if (lines == 1) return launch_with(std::integral_constant<int, 1>{}, quads);
    if (lines == 2) return launch_with(std::integral_constant<int, 2>{}, quads);
    if (lines <= 4) return launch_with(std::integral_constant<int, 4>{}, quads);
    return launch_with(std::integral_constant<int, narrow_limit>{}, quads);
  };
  return in_quads ? with_lines(std::true_type{}) : with_lines(std::false_type{});
}

}  // namespace ladder::LADDER_DEVICE
