// SPDX-License-Identifier: MIT
// A block's way through the tiles of C: which slabs of which tiles it computes, and where their parts are kept.
#pragma once

#include "operand.cuh"
#include "work_plan.hpp"

namespace ladder::LADDER_DEVICE {

/// How many slabs of BK steps there are, and how many steps in the last one.
template <class Tile>
struct SlabCount {
  int slabs;
  int last;

  __device__ __forceinline__ explicit SlabCount(std::int64_t k)
      : slabs(static_cast<int>((k + Tile::BK - 1) / Tile::BK)),
        last(static_cast<int>(k - std::int64_t{slabs - 1} * Tile::BK)) {}
};

/// Slabs [first, first + count) of a tile.
struct WorkUnit {
  std::uint32_t tile;
  int first;
  int count;
};

/// Unit `index` of this block: first its run through the split tiles, a unit a tile, then whole tiles, one in
/// gridDim.x. False where there are no more. `slabs` of a tile: 0 where nothing is to be read of A and B.
__device__ __forceinline__ bool unit_at(const WorkPlan& plan, int slabs, int index, WorkUnit& unit) {
  int units_of_run = 0;
  std::uint32_t split_tiles = 0;
  if (slabs > 0 && plan.split_tiles > 0) {
    split_tiles = plan.split_tiles;
    const int limit = static_cast<int>(plan.split_tiles) * plan.slots;
    const int begin = static_cast<int>(blockIdx.x) * plan.run;
    const int end = begin + plan.run < limit ? begin + plan.run : limit;
    const int tile = begin / plan.slots + index;
    const int corner = tile * plan.slots;
    if (corner < end) {
      const int first = begin > corner ? begin - corner : 0;
      const int stop = end - corner < slabs ? end - corner : slabs;
      unit = {static_cast<std::uint32_t>(tile), first, stop - first};
      return true;
    }
    if (begin < end) units_of_run = (end - 1) / plan.slots - begin / plan.slots + 1;
  }
  const std::uint32_t whole = split_tiles + blockIdx.x + static_cast<std::uint32_t>(index - units_of_run) * gridDim.x;
  unit = {whole, 0, slabs};
  return whole < plan.tiles;
}

/// Where a tile lies.
struct TilePlace {
  std::uint32_t product;  ///< its number in the batch
  BlockTile block;
};

/// Tiles of a product are walked in groups of GROUP tile columns, row by row inside a group, so that the panels in
/// use at one time stay in the L2 cache.
template <class Tile>
__device__ __forceinline__ TilePlace place_of(const WorkPlan& plan, std::uint32_t tile, const GemmProduct& first) {
  constexpr std::uint32_t GROUP = 8;
  const std::uint32_t tiles_of_product = plan.tiles_m * plan.tiles_n;
  const std::uint32_t product = tile / tiles_of_product;
  const std::uint32_t index = tile - product * tiles_of_product;
  const std::uint32_t group = index / (GROUP * plan.tiles_m);
  const std::uint32_t within = index - group * GROUP * plan.tiles_m;
  const std::uint32_t left = plan.tiles_n - group * GROUP;
  const std::uint32_t columns = left < GROUP ? left : GROUP;
  return {product, tile_at(first, static_cast<std::int64_t>(within / columns) * Tile::BM,
                           static_cast<std::int64_t>(group * GROUP + within % columns) * Tile::BN)};
}

/// The blocks that have a share in one split tile.
struct Sharers {
  int first;
  int count;

  __device__ __forceinline__ Sharers(const WorkPlan& plan, std::uint32_t tile) {
    const int begin = static_cast<int>(tile) * plan.slots;
    first = begin / plan.run;
    count = (begin + plan.slabs - 1) / plan.run - first + 1;
  }
};

/// Where block `block` leaves its part of a split tile: a run starts in one tile and may end in another.
template <class Tile>
__device__ __forceinline__ float* part_of(const WorkPlan& plan, int block, std::uint32_t tile) {
  const int ends_there = block * plan.run < static_cast<int>(tile) * plan.slots ? 1 : 0;
  return plan.parts + (std::int64_t{parts_per_block} * block + ends_there) * (Tile::BM * Tile::BN);
}

/// Where a block keeps what it has added up of a tile so far.
template <class Tile>
__device__ __forceinline__ float* kept_sums(const WorkPlan& plan) {
  return plan.parts + (std::int64_t{parts_per_block} * blockIdx.x + 2) * (Tile::BM * Tile::BN);
}

}  // namespace ladder::LADDER_DEVICE
