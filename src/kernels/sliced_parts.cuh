// SPDX-License-Identifier: MIT
// What the blocks of a sliced-K launch share: how C and k are divided between them, and how the parts of a tile are
// added by the block that comes last.
#pragma once

#include "sliced_k.cuh"

namespace ladder::LADDER_DEVICE {

/// Division by a number that the host knows, for dividends below 2^31 (Granlund and Montgomery 1994).
struct Divisor {
  std::uint32_t magic;
  std::uint32_t shift;

  __device__ __forceinline__ std::uint32_t quotient_of(std::uint32_t dividend) const {
    return (static_cast<std::uint32_t>(std::uint64_t{dividend} * magic >> 32) + dividend) >> shift;
  }
};

/// How the blocks of a launch share out C and k: the first tiles are whole, a block each; K is cut into parts for the
/// others, so that the multiprocessors end together.
struct SlicePlan {
  std::uint32_t whole;  ///< tiles of one block. The parts of tile whole + i are the blocks from whole + i * parts on
  std::uint32_t tiles;
  std::uint32_t tiles_m;
  Divisor by_tiles_m;
  int whole_slice_k;           ///< steps of a warp, a multiple of 4. The last slice may have fewer
  std::uint32_t whole_slices;  ///< of k; none is empty
  int slice_k;                 ///< the same where K is cut into parts, a block's slices each
  std::uint32_t slices;
  std::uint32_t parts;
  Divisor by_parts;
  std::uint32_t group;  ///< parts that are added before the groups' sums are: `parts` where they are few
  std::uint32_t groups;
  Divisor by_group;
  float* sums;             ///< scratch: a tile for each part of each tile
  std::uint32_t* tickets;  ///< of each tile: one for each group, one for the groups
};

/// A block's share.
struct SliceShare {
  std::uint32_t tile;
  std::uint32_t part;
  bool is_whole;

  __device__ __forceinline__ SliceShare(const SlicePlan& plan, std::uint32_t block) : is_whole(block < plan.whole) {
    const std::uint32_t split = block - plan.whole;
    const std::uint32_t of_split = is_whole ? 0 : plan.by_parts.quotient_of(split);
    tile = is_whole ? block : plan.whole + of_split;
    part = is_whole ? 0 : split - of_split * plan.parts;
  }
};

/// So many parts are read at once and added by one block; more are added in two levels.
inline constexpr int few_parts = 12;

template <class Tile>
struct SlicedSmem {
  alignas(16) float rings[Tile::WARPS][Tile::STAGES * Tile::STAGE_FLOATS];
  bool comes_last;
};

/// True in the block that is the last of `count` to come here: what the others wrote before is then to be seen.
template <class Tile>
__device__ __forceinline__ bool comes_last(SlicedSmem<Tile>& smem, std::uint32_t* ticket, std::uint32_t count) {
  __syncthreads();
  if (threadIdx.x == 0) {
    smem.comes_last = take_ticket(ticket) == count - 1;
    if (smem.comes_last) *ticket = 0;
  }
  __syncthreads();
  return smem.comes_last;
}

/// Sum of the quads load(first), load(first + stride), ..., `count` of them in this order. Nothing is added for the
/// loads left out of the last batch: -0 changes no sum.
template <int AT_ONCE, class Load>
__device__ __forceinline__ float4 sum_in_order(int count, const float* first, std::int64_t stride, const Load& load) {
  const float4 nothing = make_float4(-0.0f, -0.0f, -0.0f, -0.0f);
  float4 sum = nothing;
#pragma unroll 1
  for (int left = count; left > 0; left -= AT_ONCE) {
    float4 term[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
      term[i] = i < left ? load(first) : nothing;
      first += stride;
    }
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) {
      sum.x += term[i].x, sum.y += term[i].y, sum.z += term[i].z, sum.w += term[i].w;
    }
  }
  return sum;
}

/// Adds this block's slices and gives store(quad, sum) each of this thread's quads of the tile. Where K has more parts
/// than this one, it hands its sums on in scratch memory instead; the last block of the group goes on with the sum of
/// the group's parts, and the last of those with the sum of the groups. `product`: of the batch.
template <class Tile, class Store>
__device__ __forceinline__ void add_up(SlicedSmem<Tile>& smem, const SlicePlan& plan, const SliceShare& share,
                                       std::int64_t product, const Store& store) {
  constexpr std::int64_t floats = Tile::BM * Tile::BN;
  constexpr int slices_at_once = 4;
  constexpr int M_QUADS = Tile::BM / vec;
  const std::uint32_t slices_left = (share.is_whole ? plan.whole_slices : plan.slices) - share.part * Tile::WARPS;
  int terms = slices_left < Tile::WARPS ? slices_left : Tile::WARPS;
  const std::int64_t tile = product * (plan.tiles - plan.whole) + (share.tile - plan.whole);
  float* sums = plan.sums + tile * plan.parts * floats;
  const float* from = nullptr;
  float* to = sums + share.part * floats;
  std::int64_t stride = floats;
  std::uint32_t* ticket = plan.tickets + tile * (plan.groups + 1);
  const std::uint32_t group = plan.by_group.quotient_of(share.part);
  const std::uint32_t first = group * plan.group;
  const int levels = share.is_whole ? 0 : plan.groups == 1 ? 1 : 2;
#pragma unroll 1
  for (int level = 0;; ++level) {
#pragma unroll 1
    for (int quad = static_cast<int>(threadIdx.x); quad < Tile::BM * Tile::BN / vec; quad += Tile::THREADS) {
      const float4 sum =
          level == 0 ? sum_in_order<slices_at_once>(
                           terms, quad_of_sums<Tile>(smem.rings[0], quad % M_QUADS, quad / M_QUADS),
                           sizeof(smem.rings[0]) / sizeof(float), [](const float* sums) { return read_sums(sums); })
                     : sum_in_order<few_parts>(terms, from + quad * vec, stride,
                                               [](const float* part) { return load_part(part); });
      if (level == levels) {
        store(quad, sum);
      } else {
        reinterpret_cast<float4*>(to)[quad] = sum;
      }
    }
    if (level == levels) return;
    if (level == 0) {
      const std::uint32_t left = plan.parts - first;
      terms = static_cast<int>(left < plan.group ? left : plan.group);
      from = to = sums + first * floats;
      ticket += group;
    } else {
      terms = static_cast<int>(plan.groups);
      from = sums;
      stride = plan.group * floats;
      ticket += plan.groups - group;
    }
    if (!comes_last(smem, ticket, static_cast<std::uint32_t>(terms))) return;
  }
}

}  // namespace ladder::LADDER_DEVICE
