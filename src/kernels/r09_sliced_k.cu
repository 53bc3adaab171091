// SPDX-License-Identifier: MIT
// r09_sliced_k: the warps of a block share a small tile of C by slices of k.
//
// For problems of few tiles: a warp computes the whole tile for its own slice of k, with a ring of stages of its own,
// so that no barrier but its own stops it and a small problem is on its way from memory at once. At the end the block
// adds the slices in shared memory, and where K is cut over blocks too, the last of them adds the parts.
// Sums: a block of k for each slice, blocks added in the order of k; where parts are many, in groups of parts.
// Tile: 32 x 16 to 32 x 64 of eight warps, 64 x 64 of four. Cost: 96 KiB of shared memory, two blocks an SM.
// Limit: latencies, of the first instructions, of memory and of the sums' way through shared memory.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "device_traits.cuh"
#include "epilogue.cuh"
#include "r09_members.hpp"
#include "scratch.hpp"
#include "sliced_parts.cuh"
#include "sum_order.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

// ---------------------------------------------------------------------------------------- kernel

/// One warp's slice, from k0 on, `steps` long: copies up to STAGES stages ahead of the sums.
template <class Tile, Major A_MAJOR, Major B_MAJOR>
__device__ __forceinline__ void sum_slice(float* ring, const GemmProduct& p, const BlockTile& block,
                                          const SlicePlan& plan, std::int64_t k0, int steps) {
  const int lane = threadIdx.x % warp_size;
  SliceFeed<A_MAJOR, Tile::BM, Tile::BK> feed_a(p.a, p.lda, block.m0, k0, block.rows, plan.a_in_quads, lane);
  SliceFeed<B_MAJOR, Tile::BN, Tile::BK> feed_b(p.b, p.ldb, block.n0, k0, block.columns, plan.b_in_quads, lane);
  SliceSums<Tile, A_MAJOR, B_MAJOR> sums(lane);

  // One loop for the first copies and the steady state: the instructions have to come from memory as well.
  const auto up_to_a_stage = [](int left) { return left < Tile::BK ? left : Tile::BK; };
  int to_copy = steps;
  int fill = 0;
#pragma unroll 1
  for (int turn = 1; steps > 0; ++turn) {
    float* stage = ring + fill * Tile::STAGE_FLOATS;
    if (to_copy > 0) {
      feed_a.issue(stage, up_to_a_stage(to_copy));
      feed_b.issue(stage + Tile::BM * Tile::BK, up_to_a_stage(to_copy));
      to_copy -= Tile::BK;
    }
    close_copies();
    fill = fill + 1 == Tile::STAGES ? 0 : fill + 1;
    if (turn < Tile::STAGES) continue;
    // The oldest stage is the one that is filled next.
    wait_for_copies<Tile::STAGES - 1>();
    __syncwarp();
    sums.add_steps(ring + fill * Tile::STAGE_FLOATS, up_to_a_stage(steps));
    __syncwarp();
    steps -= Tile::BK;
  }
  sums.store(ring);
}

template <class Tile, Major A_MAJOR, Major B_MAJOR>
__global__ void __launch_bounds__(Tile::THREADS, Tile::RESIDENT)
    sgemm_sliced_k(const GemmProduct first, const BatchLayout layout, const SlicePlan plan) {
  const GemmProduct p = product_of_block(first, layout);
  SlicedSmem<Tile>& smem = block_smem<SlicedSmem<Tile>>();
  const Scalars s = load_scalars(p);
  if (leaves_c_alone(s)) return;
  const std::uint32_t tile = plan.by_parts.quotient_of(blockIdx.x);
  const std::uint32_t part = blockIdx.x - tile * plan.parts;
  const std::uint32_t tile_n = plan.by_tiles_m.quotient_of(tile);
  const std::uint32_t tile_m = tile - tile_n * plan.tiles_m;
  const BlockTile block = tile_at(p, std::int64_t{tile_m} * Tile::BM, std::int64_t{tile_n} * Tile::BN);

  const std::uint32_t warp = threadIdx.x / warp_size;
  const std::int64_t k0 = std::int64_t{part * Tile::WARPS + warp} * plan.slice_k;
  const std::int64_t k_left = mainloop_k(p, s) - k0;
  sum_slice<Tile, A_MAJOR, B_MAJOR>(smem.rings[warp], p, block, plan, k0,
                                    static_cast<int>(k_left < plan.slice_k ? k_left : plan.slice_k));
  __syncthreads();

  constexpr int M_QUADS = Tile::BM / vec;
  const auto read_slice = [&](int slice, int quad) {
    return *SliceSums<Tile, A_MAJOR, B_MAJOR>::part_quad(smem.rings[slice], quad % M_QUADS, quad / M_QUADS);
  };
  const auto store = [&](int quad, const float4& sum) {
    const float sums[vec] = {sum.x, sum.y, sum.z, sum.w};
    const int m = quad % M_QUADS * vec;
    const int n = quad / M_QUADS;
    if (m >= block.rows || n >= block.columns) return;
    float* c = p.c + block.m0 + m + (block.n0 + n) * p.ldc;
    if (quads_aligned(p.c, p.ldc) && block.rows - m >= vec) {
      blend_quad(s, sums, c);
    } else {
      blend_some(s, sums, c, block.rows - m);
    }
  };
  const std::int64_t product = static_cast<std::int64_t>(gridDim.y) * blockIdx.z + blockIdx.y;
  add_up(smem, plan, product * plan.tiles + tile, part, read_slice, store);
}

// ---------------------------------------------------------------------------------------- host side

Divisor divide_by(std::uint32_t divisor) {
  const auto shift = static_cast<std::uint32_t>(std::bit_width(divisor - 1));
  const std::uint64_t above = (std::uint64_t{1} << shift) - divisor;
  return {static_cast<std::uint32_t>((above << 32) / divisor + 1), shift};
}

// Clock cycles, and bytes a cycle of one multiprocessor.
constexpr double launch_cycles = 3000;   // until the first instruction, and from the last store on
constexpr double code_cycles = 3000;     // for instructions that no cache holds yet
constexpr double memory_latency = 1400;  // until a block's first stage is there
constexpr double parts_latency = 3500;   // to write a part, take a ticket and read the others' parts
constexpr double memory_bytes = 16;
constexpr double l2_bytes = 32;
constexpr double shared_bytes = 128;
constexpr double fmas = 128;

/// Of the busiest multiprocessor, with K cut into `parts` for blocks of their own.
template <class Tile>
double cycles_with(const GemmProblem& p, int multiprocessors, std::int64_t parts) {
  constexpr double elements = double{Tile::BM} * Tile::BN;
  // A step of k: the FMAs, or the fragments' way from shared memory at 2.7 wavefronts a 128-bit read.
  constexpr double fma_cycles = elements / fmas / 0.85;
  constexpr double read_cycles = 2.7 * (Tile::TM + Tile::TN) / vec;
  constexpr double reduction = 2 * Tile::WARPS * elements * sizeof(float) / shared_bytes;
  const double step = std::max(fma_cycles, read_cycles);
  const std::int64_t blocks = tile_count<Tile>(p) * p.batch * parts;
  const auto share = static_cast<double>(ceil_div(blocks, multiprocessors));
  const double k = static_cast<double>(p.k) / static_cast<double>(parts);
  const double panels = share * (Tile::BM + Tile::BN) * k * sizeof(float);
  const double matrices = static_cast<double>(p.batch) * sizeof(float) *
                          (static_cast<double>(p.m + p.n) * static_cast<double>(p.k) + static_cast<double>(p.m * p.n));
  const double moving = std::max(panels / l2_bytes, matrices / (memory_bytes * multiprocessors));
  const double rounds = std::ceil(share / Tile::RESIDENT);
  const double joining = parts == 1 ? 0.0 : parts_latency + 20 * std::sqrt(static_cast<double>(parts)) * elements / 256;
  return launch_cycles + code_cycles + memory_latency * rounds + std::max(share * k * step, moving) +
         share * reduction + joining;
}

/// Parts of k for which the model is best: one, or as many as give each multiprocessor one or two blocks.
template <class Tile>
std::int64_t best_parts(const GemmProblem& p, int multiprocessors) {
  constexpr std::int64_t least_k = 8 * Tile::WARPS;  // of a part
  const std::int64_t tiles = tile_count<Tile>(p) * p.batch;
  std::int64_t best = 1;
  double best_cycles = cycles_with<Tile>(p, multiprocessors, 1);
  for (const std::int64_t blocks : {multiprocessors, Tile::RESIDENT * multiprocessors}) {
    const std::int64_t parts = std::min(blocks / tiles, p.k / least_k);
    if (parts <= 1 || tiles * parts * Tile::BM * Tile::BN > scratch_floats || tiles * (parts + 1) > scratch_tickets)
      continue;
    const double cycles = cycles_with<Tile>(p, multiprocessors, parts);
    if (cycles < best_cycles) best = parts, best_cycles = cycles;
  }
  return best;
}

/// Whether an operand, `extent` long where it is contiguous, is whole aligned quads in every product of a batch.
bool is_in_quads(const float* data, std::int64_t ld, std::int64_t extent, std::int64_t stride) {
  return quads_aligned(data, ld) && extent % vec == 0 && stride % vec == 0;
}

/// Steps of k of a warp: all of them where the sums must go by k.
template <class Tile>
std::int64_t slice_steps(const GemmProblem& p, std::int64_t parts) {
  const std::int64_t slices = plain_sums() ? 1 : Tile::WARPS * parts;
  return std::max<std::int64_t>(ceil_div(ceil_div(p.k, slices), vec), 1) * vec;
}

template <class Tile>
SlicePlan make_plan(const GemmProblem& p, std::int64_t slice_k, const Scratch& scratch) {
  constexpr std::uint32_t few_parts = 12;
  const std::int64_t slices = std::max<std::int64_t>(ceil_div(p.k, slice_k), 1);
  SlicePlan plan{};
  plan.slice_k = static_cast<int>(slice_k);
  plan.slices = static_cast<std::uint32_t>(slices);
  plan.parts = static_cast<std::uint32_t>(ceil_div(slices, Tile::WARPS));
  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(plan.parts)));
  plan.group = plan.parts <= few_parts ? plan.parts : root;
  plan.groups = (plan.parts + plan.group - 1) / plan.group;
  plan.tiles = static_cast<std::uint32_t>(tile_count<Tile>(p));
  plan.tiles_m = static_cast<std::uint32_t>(ceil_div(p.m, Tile::BM));
  plan.by_parts = divide_by(plan.parts);
  plan.by_tiles_m = divide_by(plan.tiles_m);
  plan.by_group = divide_by(plan.group);
  plan.a_in_quads = is_in_quads(p.a, p.lda, p.op_a == Op::none ? p.m : p.k, p.batch > 1 ? p.stride_a : 0);
  plan.b_in_quads = is_in_quads(p.b, p.ldb, p.op_b == Op::none ? p.k : p.n, p.batch > 1 ? p.stride_b : 0);
  plan.sums = scratch.parts;
  plan.tickets = scratch.tickets;
  return plan;
}

template <class Tile>
LaunchStatus launch_tile(const GemmProblem& p, Stream stream) {
  std::int64_t parts = plain_sums() ? 1 : best_parts<Tile>(p, std::max(device_traits().multiprocessors, 1));
  const Scratch scratch = parts > 1 ? scratch_of(stream) : Scratch{};
  if (!scratch.parts) parts = 1;
  const std::int64_t slice_k = slice_steps<Tile>(p, parts);
  if (slice_k > std::numeric_limits<int>::max()) return launch_not_supported;
  const SlicePlan plan = make_plan<Tile>(p, slice_k, scratch);
  return with_majors(p, [&](auto a, auto b) {
    return launch<sgemm_sliced_k<Tile, a(), b()>, SlicedSmem<Tile>>(tile_count<Tile>(p) * plan.parts, Tile::THREADS,
                                                                    stream, p, plan);
  });
}

template <class Tile>
double best_cycles(const GemmProblem& p, int multiprocessors) {
  constexpr int least_capability = 80;  // shared memory for a block
  const bool fits = slice_steps<Tile>(p, 1) <= std::numeric_limits<int>::max();
  if (!fits || device_traits().compute_capability < least_capability) return std::numeric_limits<double>::infinity();
  if (plain_sums()) return Tile::WARPS * cycles_with<Tile>(p, multiprocessors, 1);
  return cycles_with<Tile>(p, multiprocessors, best_parts<Tile>(p, multiprocessors));
}

using Tile32x16 = SlicedTile<32, 16, 4, 4, 8, 4, 2>;
using Tile32x32 = SlicedTile<32, 32, 8, 4, 8, 3, 2>;
using Tile32x64 = SlicedTile<32, 64, 8, 8, 8, 2, 1>;
using Tile64x64 = SlicedTile<64, 64, 16, 8, 4, 3, 2>;

}  // namespace

LaunchStatus launch_sliced_32x16(const GemmProblem& p, Stream stream) { return launch_tile<Tile32x16>(p, stream); }
LaunchStatus launch_sliced_32x32(const GemmProblem& p, Stream stream) { return launch_tile<Tile32x32>(p, stream); }
LaunchStatus launch_sliced_32x64(const GemmProblem& p, Stream stream) { return launch_tile<Tile32x64>(p, stream); }
LaunchStatus launch_sliced_64x64(const GemmProblem& p, Stream stream) { return launch_tile<Tile64x64>(p, stream); }

double sliced_32x16_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile32x16>(p, multiprocessors);
}
double sliced_32x32_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile32x32>(p, multiprocessors);
}
double sliced_32x64_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile32x64>(p, multiprocessors);
}
double sliced_64x64_cycles(const GemmProblem& p, int multiprocessors) {
  return best_cycles<Tile64x64>(p, multiprocessors);
}

}  // namespace ladder::LADDER_DEVICE
