// SPDX-License-Identifier: MIT
// How a grid of blocks shares the tiles of C: whole tiles in turn, and tiles whose slabs of k are cut into runs of
// equal length, so that no wave of blocks is left half empty (stream-K: Osama et al., PPoPP 2023, section 4).
#pragma once

#include <cstdint>

namespace ladder {

/// Made on the host for each launch; the same for all blocks. Tiles count through the products of a batch.
struct WorkPlan {
  float* parts = nullptr;            ///< room for `parts_per_block` block tiles a block
  std::uint32_t* tickets = nullptr;  ///< one a split tile, then one a block
  std::uint32_t tiles_m = 0;         ///< of one product
  std::uint32_t tiles_n = 0;
  std::uint32_t tiles = 0;        ///< of all products
  std::uint32_t split_tiles = 0;  ///< the first ones: their slabs are dealt out in runs, one a block
  int slabs = 0;                  ///< of a tile, the partial one included
  int slots = 0;                  ///< as which a split tile counts in runs: `slabs` and perhaps a few void ones
  int run = 1;                    ///< slots in a block's run
  int widest_group = 1;           ///< sharers of a tile that add up their parts at once
  int group = 1;                  ///< of more than that, how many do before the groups add up theirs
  int block_slabs = 1;            ///< slabs that are added up before their sums join the others'
  int arrivals_per_warp = 1;      ///< lanes that say that their warp has read a stage
};

/// A run may end one tile and begin another; the third is what a block has added up of its present tile.
inline constexpr int parts_per_block = 3;

/// True: every lane says so, from the next launch on. compute-sanitizer's racecheck does not see that one lane speaks
/// for those that it has met at __syncwarp(), which is 1 to 5 % quicker. Any thread.
void set_every_lane_arrives(bool wanted);
bool every_lane_arrives();

}  // namespace ladder
