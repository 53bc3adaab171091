// SPDX-License-Identifier: MIT
// Products of a k-major wide operand and up to a few dozen lines: W times X, the warps of a block sharing its tile by
// slices of k.
//
// Idea: every warp computes the whole block tile for its 16 of each 128 steps of k, with a ring of stages of its own,
// so that it waits for no other warp and a row of W is read in lines of 512 bytes. All tiles' steps in a row are cut
// into equal runs, one a block, so that no multiprocessor idles at the end.
// Sums: a block of k for each warp, added in their order; where a tile is shared, blocks added in the order of k.
// Tile: 64 or 128 rows x 16 to 64 lines of eight warps. Cost: up to 224 KiB of shared memory, one block an SM.
// Limit: the memory's speed up to 16 lines, then the FMAs.
#include <algorithm>
#include <limits>

#include "device_traits.cuh"
#include "k_major_parts.cuh"
#include "r09_members.hpp"

namespace ladder::LADDER_DEVICE {

namespace {

// ---------------------------------------------------------------------------------------- kernel

/// One warp's share of a segment: copies up to STAGES - 1 slices ahead of the sums, which end in the ring's place.
template <class Tile>
__device__ __forceinline__ void sum_segment(float* ring, const Segment& segment, std::int64_t k, int warp, int lane) {
  const std::int64_t segment_k = std::int64_t{segment.first_step} * Tile::STEP;
  const std::int64_t k0 = segment_k + warp * Tile::SLICE;
  const std::int64_t segment_end = segment_k + std::int64_t{segment.steps} * Tile::STEP;
  KMajorFeed<Tile> feed(segment.v, segment.row0, segment.line0, k0, lane);
  int to_add = static_cast<int>((k < segment_end ? k : segment_end) - k0);  // may be negative: nothing
  int to_copy = to_add;
  KMajorSums<Tile> sums(lane, to_add > 0);

  const auto copy_next = [&](int stage) {
    if (to_copy > 0) feed.issue(ring + stage * Tile::STAGE_FLOATS, to_copy);
    close_copies();
    to_copy -= Tile::STEP;
  };
#pragma unroll 1
  for (int stage = 0; stage < Tile::STAGES - 1; ++stage) copy_next(stage);
  int at = 0;
#pragma unroll 1
  for (; to_add > 0; to_add -= Tile::STEP) {
    wait_for_copies<Tile::STAGES - 2>();
    __syncwarp();
    copy_next(at == 0 ? Tile::STAGES - 1 : at - 1);
    const float* stage = ring + at * Tile::STAGE_FLOATS;
    if (to_add >= Tile::SLICE) {
      sums.add_slice(stage);
    } else {
      sums.add_some(stage, to_add);
    }
    at = at + 1 == Tile::STAGES ? 0 : at + 1;
  }
  __syncwarp();
  sums.store(ring, lane);
}

template <class Tile, Form FORM>
__global__ void __launch_bounds__(Tile::THREADS, 1)
    sgemm_k_major(const GemmProduct first, const BatchLayout layout, const Epilogue given, const WideProduct first_wide,
                  const KMajorPlan plan) {
  const Epilogue epilogue = epilogue_in<FORM>(given);
  const Scalars s = load_scalars(first, epilogue);
  if (leaves_c_alone(s, epilogue)) return;
  KMajorSmem<Tile>& smem = block_smem<KMajorSmem<Tile>>();
  const std::int64_t k = mainloop_k(first, s);
  const int lane = threadIdx.x % warp_size;
  const int warp = threadIdx.x / warp_size;
  const std::uint32_t end = plan.run_of(blockIdx.x + 1);
#pragma unroll 1
  for (std::uint32_t step = plan.run_of(blockIdx.x); step < end;) {
    const Segment segment = segment_at<Tile>(first_wide, layout, plan, step, end);
    sum_segment<Tile>(smem.rings[warp], segment, k, warp, lane);
    __syncthreads();
    finish_segment(smem, plan, segment, WideEpilogue{first, s, epilogue});
    __syncthreads();
    step += segment.steps;
  }
}

// ---------------------------------------------------------------------------------------- host side

/// The k-major operand, if there is one whose lines may be read in quads: the wider one of two.
WideSide k_major_side(const GemmProblem& p) {
  const bool a_serves = p.op_a == Op::transpose && quads_in_batch(p, p.a, p.lda, p.stride_a);
  const bool b_serves = p.op_b == Op::none && quads_in_batch(p, p.b, p.ldb, p.stride_b);
  if (a_serves && (p.m >= p.n || !b_serves)) return WideSide::a;
  return b_serves ? WideSide::b : WideSide::none;
}

/// How many blocks run, each how many steps.
struct KMajorShape {
  std::int64_t row_tiles;
  std::int64_t line_tiles;
  std::int64_t steps;  // of a tile
  std::int64_t blocks;
  std::int64_t run;       // steps of the busiest block
  std::int64_t segments;  // of the busiest block, about
};

template <class Tile>
KMajorShape shape_of(const GemmProblem& p, WideSide side, int multiprocessors) {
  constexpr std::int64_t most_sharers = 10;  // of a tile: the last one reads all their parts
  constexpr std::int64_t segment_steps = 2;  // what a segment costs beside its steps
  KMajorShape shape{};
  shape.row_tiles = ceil_div(side == WideSide::a ? p.m : p.n, Tile::BM);
  shape.line_tiles = ceil_div(side == WideSide::a ? p.n : p.m, Tile::BN);
  shape.steps = std::max<std::int64_t>(ceil_div(p.k, Tile::STEP), 1);
  const std::int64_t tiles = shape.row_tiles * shape.line_tiles * p.batch;
  const std::int64_t total = tiles * shape.steps;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const auto try_blocks = [&](std::int64_t blocks, bool aligned) {
    const std::int64_t run = ceil_div(total, blocks);
    const std::int64_t segments = ceil_div(run, shape.steps) + (aligned ? 0 : 1);
    const std::int64_t time = run + segments * segment_steps;
    if (time < least) shape.blocks = blocks, shape.run = run, shape.segments = segments, least = time;
  };
  const std::int64_t most = std::min({std::int64_t{multiprocessors}, total, tiles * most_sharers});
  if (tiles < most) try_blocks(std::min(most / tiles, shape.steps) * tiles, true);
  try_blocks(most, tiles % most == 0);
  return shape;
}

template <class Tile>
KMajorPlan plan_of(const GemmProblem& p, WideSide side, const KMajorShape& shape, const Scratch& scratch) {
  const std::int64_t tiles = shape.row_tiles * shape.line_tiles * p.batch;
  KMajorPlan plan{};
  plan.stride_w = side == WideSide::a ? p.stride_a : p.stride_b;
  plan.stride_x = side == WideSide::a ? p.stride_b : p.stride_a;
  plan.steps = static_cast<std::uint32_t>(shape.steps);
  plan.row_tiles = static_cast<std::uint32_t>(shape.row_tiles);
  plan.line_tiles = static_cast<std::uint32_t>(shape.line_tiles);
  const bool may_split = scratch.parts != nullptr && shape.blocks <= scratch_tickets;
  plan.grain = may_split ? 1 : plan.steps;
  const std::int64_t grains = may_split ? tiles * shape.steps : tiles;
  plan.run_grains = static_cast<std::uint32_t>(grains / shape.blocks);
  plan.longer_runs = static_cast<std::uint32_t>(grains % shape.blocks);
  plan.sums = scratch.parts;
  plan.tickets = scratch.tickets;
  return plan;
}

/// The current device has the shared memory: 227 KiB for a block.
bool has_room() {
  const int capability = device_traits().compute_capability;
  return capability == 90 || capability / 10 == 10;
}

/// The kernel counts steps in 32 bits.
template <class Tile>
bool is_countable(const GemmProblem& p) {
  constexpr double limit = 1u << 31;
  const auto padded = [](std::int64_t extent, int tile) { return static_cast<double>(extent) / tile + 1; };
  const double tiles = padded(p.m, std::min(Tile::BM, Tile::BN)) * padded(p.n, std::min(Tile::BM, Tile::BN));
  return tiles * padded(p.k, Tile::STEP) * static_cast<double>(p.batch) < limit &&
         static_cast<double>(p.k) < limit / 2 && static_cast<double>(std::max(p.m, p.n)) < limit / 2;
}

template <class Tile>
LaunchStatus launch_tile(const GemmProblem& p, Stream stream) {
  const WideSide side = k_major_side(p);
  if (side == WideSide::none || !is_countable<Tile>(p)) return launch_not_supported;
  const KMajorShape shape = shape_of<Tile>(p, side, std::max(device_traits().multiprocessors, 1));
  const bool cuts = shape.row_tiles * shape.line_tiles * p.batch % shape.blocks != 0;
  const std::int64_t floats = 2 * shape.blocks * Tile::BM * Tile::BN;
  const KMajorPlan plan = plan_of<Tile>(p, side, shape, cuts ? scratch_of(stream, floats) : Scratch{});
  return with_form(p, [&](auto form) {
    return launch_blocks<sgemm_k_major<Tile, form()>, KMajorSmem<Tile>>(shape.blocks, Tile::THREADS, stream, p,
                                                                        seen_wide(p, side), plan);
  });
}

template <class Tile>
double predicted_cycles(const GemmProblem& p, int multiprocessors) {
  constexpr double start_cycles = 8500;
  constexpr double segment_cycles = 3000;  // until the first slice is there, and for the sums of eight warps
  constexpr double parts_cycles = 4000;    // through scratch memory
  constexpr double fmas_per_cycle = 0.55 * 128;
  constexpr double bytes_per_cycle = 15;  // of a multiprocessor, from memory
  const WideSide side = k_major_side(p);
  if (side == WideSide::none || !is_countable<Tile>(p) || !has_room()) {
    return std::numeric_limits<double>::infinity();
  }
  const KMajorShape shape = shape_of<Tile>(p, side, multiprocessors);
  const bool is_split = shape.segments * shape.steps != shape.run;
  const double fmas = double{Tile::BM} * Tile::BN * Tile::STEP / fmas_per_cycle;
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
  const double bytes = sizeof(float) * static_cast<double>(p.batch) * (m * k + k * n + m * n);
  const double moving = bytes / (bytes_per_cycle * multiprocessors);
  return start_cycles + std::max(static_cast<double>(shape.run) * fmas, moving) +
         static_cast<double>(shape.segments) * segment_cycles + (is_split ? parts_cycles : 0);
}

using Tile128x16 = KMajorTile<128, 16, 8, 8, 3>;
using Tile64x32 = KMajorTile<64, 32, 8, 8, 4>;
using Tile128x32 = KMajorTile<128, 32, 16, 8, 2>;

}  // namespace

LaunchStatus launch_k_major_128x16(const GemmProblem& p, Stream stream) { return launch_tile<Tile128x16>(p, stream); }
LaunchStatus launch_k_major_64x32(const GemmProblem& p, Stream stream) { return launch_tile<Tile64x32>(p, stream); }
LaunchStatus launch_k_major_128x32(const GemmProblem& p, Stream stream) { return launch_tile<Tile128x32>(p, stream); }

double k_major_128x16_cycles(const GemmProblem& p, int multiprocessors) {
  return predicted_cycles<Tile128x16>(p, multiprocessors);
}
double k_major_64x32_cycles(const GemmProblem& p, int multiprocessors) {
  return predicted_cycles<Tile64x32>(p, multiprocessors);
}
double k_major_128x32_cycles(const GemmProblem& p, int multiprocessors) {
  return predicted_cycles<Tile128x32>(p, multiprocessors);
}

}  // namespace ladder::LADDER_DEVICE
