// SPDX-License-Identifier: MIT
// How the blocks of a k-major launch share out C and k evenly, and how those that share a tile put their parts
// together: the one that comes last adds all of them in the order of k.
#pragma once

#include "k_major.cuh"
#include "wide_epilogue.cuh"

namespace ladder::LADDER_DEVICE {

/// All tiles' steps of k in a row, cut into runs of whole grains: a block's each.
struct KMajorPlan {
  std::int64_t stride_w;  ///< from one product's W to the next one's
  std::int64_t stride_x;
  std::uint32_t steps;  ///< of a tile
  std::uint32_t row_tiles;
  std::uint32_t line_tiles;
  std::uint32_t grain;       ///< steps: 1, or those of a whole tile where nothing may be split
  std::uint32_t run_grains;  ///< of a block; the first `longer_runs` have one more
  std::uint32_t longer_runs;
  float* sums;             ///< scratch: two tiles for each block
  std::uint32_t* tickets;  ///< scratch: of the tile that the end of a block's run cuts

  /// First step of a block's run.
  __device__ __forceinline__ std::uint32_t run_of(std::uint32_t block) const {
    return (block * run_grains + (block < longer_runs ? block : longer_runs)) * grain;
  }

  /// The block whose run a step belongs to.
  __device__ __forceinline__ std::uint32_t block_of(std::uint32_t step) const {
    const std::uint32_t at = step / grain;
    const std::uint32_t in_longer = longer_runs * (run_grains + 1);
    return at < in_longer ? at / (run_grains + 1) : longer_runs + (at - in_longer) / run_grains;
  }
};

template <class Tile>
struct KMajorSmem {
  alignas(sizeof(float4)) float rings[Tile::WARPS][Tile::RING_FLOATS];
  bool comes_last;
};

/// The part of a tile that lies in a block's run.
struct Segment {
  WideProduct v;
  std::uint32_t product;  ///< its number in the batch
  std::uint32_t tile;
  std::int64_t row0;
  int line0;
  std::uint32_t first_step;
  std::uint32_t steps;
};

/// The segment that starts at `step`, of a run that ends at `end`.
template <class Tile>
__device__ __forceinline__ Segment segment_at(const WideProduct& first, const BatchLayout& layout,
                                              const KMajorPlan& plan, std::uint32_t step, std::uint32_t end) {
  Segment s;
  s.tile = step / plan.steps;
  s.first_step = step - s.tile * plan.steps;
  const std::uint32_t left = plan.steps - s.first_step;
  s.steps = end - step < left ? end - step : left;
  const std::uint32_t rows = s.tile / plan.line_tiles;
  s.product = rows / plan.row_tiles;
  s.row0 = std::int64_t{rows - s.product * plan.row_tiles} * Tile::BM;
  s.line0 = static_cast<int>(s.tile - rows * plan.line_tiles) * Tile::BN;
  s.v = first;
  s.v.w += s.product * plan.stride_w;
  s.v.x += s.product * plan.stride_x;
  s.v.c += s.product * layout.stride_c;
  return s;
}

/// Element e of a tile, neighbours in C being neighbours.
template <class Tile>
struct TileElement {
  int row;
  int line;

  __device__ __forceinline__ TileElement(int e, const WideProduct& v)
      : row(v.c_row == 1 ? e % Tile::BM : e / Tile::BN), line(v.c_row == 1 ? e / Tile::BM : e % Tile::BN) {}
};

/// What the warps have in shared memory, added in their order.
template <class Tile>
__device__ __forceinline__ float sum_of_warps(const KMajorSmem<Tile>& smem, const TileElement<Tile>& at) {
  const int place = at.line * Tile::SUMS_LINE + at.row;
  float sum = smem.rings[0][place];
#pragma unroll
  for (int warp = 1; warp < Tile::WARPS; ++warp) sum += smem.rings[warp][place];
  return sum;
}

template <class Tile>
__device__ __forceinline__ void store_element(const Segment& segment, const WideEpilogue& epilogue,
                                              const TileElement<Tile>& at, float sum) {
  const std::int64_t row = segment.row0 + at.row;
  const int line = segment.line0 + at.line;
  if (row >= segment.v.rows || line >= segment.v.lines) return;
  store_sum(segment.v, epilogue, segment.product, row, line, sum);
}

/// Hands this block's part of a split tile on in scratch memory; the block that comes last adds up all of them and
/// blends the sums into C.
template <class Tile>
__device__ __forceinline__ void join_parts(KMajorSmem<Tile>& smem, const KMajorPlan& plan, const Segment& segment,
                                           const WideEpilogue& epilogue) {
  constexpr int floats = Tile::BM * Tile::BN;
  const int thread = static_cast<int>(threadIdx.x);
  const std::uint32_t first = plan.block_of(segment.tile * plan.steps);
  const std::uint32_t last = plan.block_of(segment.tile * plan.steps + plan.steps - 1);
  // A block cuts a tile that began before its run, one that goes on after it, or both at once in the same tile.
  const auto part_of = [&](std::uint32_t block) {
    return plan.sums + std::int64_t{2 * block + (block == first ? 1 : 0)} * floats;
  };
  float* own = part_of(blockIdx.x);
#pragma unroll 1
  for (int e = thread; e < floats; e += Tile::THREADS) own[e] = sum_of_warps(smem, TileElement<Tile>(e, segment.v));
  __syncthreads();
  if (thread == 0) {
    smem.comes_last = take_ticket(plan.tickets + first) == last - first;
    if (smem.comes_last) plan.tickets[first] = 0;
  }
  __syncthreads();
  if (!smem.comes_last) return;
#pragma unroll 1
  for (int e = thread * vec; e < floats; e += Tile::THREADS * vec) {
    float4 sum = load_part(part_of(first) + e);
#pragma unroll 4
    for (std::uint32_t block = first + 1; block <= last; ++block) {
      const float4 part = load_part(part_of(block) + e);
      sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
    }
#pragma unroll
    for (int i = 0; i < vec; ++i)
      store_element(segment, epilogue, TileElement<Tile>(e + i, segment.v), component(sum, i));
  }
}

/// From the warps' sums of a segment in shared memory to C.
template <class Tile>
__device__ __forceinline__ void finish_segment(KMajorSmem<Tile>& smem, const KMajorPlan& plan, const Segment& segment,
                                               const WideEpilogue& epilogue) {
  if (segment.steps < plan.steps) {
    join_parts(smem, plan, segment, epilogue);
    return;
  }
#pragma unroll 1
  for (int e = static_cast<int>(threadIdx.x); e < Tile::BM * Tile::BN; e += Tile::THREADS) {
    const TileElement<Tile> at(e, segment.v);
    store_element(segment, epilogue, at, sum_of_warps(smem, at));
  }
}

}  // namespace ladder::LADDER_DEVICE
