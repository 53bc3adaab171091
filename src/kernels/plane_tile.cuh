// SPDX-License-Identifier: MIT
// The work of a product of planes on Hopper: its tile, the ring of slabs in shared memory, and which block does which
// tile in which order. GPU only.
#pragma once

#include "operand.cuh"
#include "plane_planner.hpp"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

/// A block computes BM x BN of C, BM rows of image A by BN rows of image B. Each of its consuming warpgroups has 64
/// rows of image B, which are the instruction's M, and walks over image A in parts of PART rows, the instruction's N.
template <PlaneFormat FORMAT_, int BM_, int BN_, int PART_, int STAGES_>
struct PlaneTile {
  static constexpr PlaneFormat FORMAT = FORMAT_;
  static constexpr PlaneLayout layout = plane_layout(FORMAT);
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int BK = slab_k;
  static constexpr int PART = PART_;
  static constexpr int PARTS = BM / PART;
  static constexpr int STAGES = STAGES_;
  static constexpr TileExtents extents{BM, BN, BK, STAGES};

  static constexpr int WARPGROUP = 128;
  static constexpr int WARPGROUP_ROWS = 64;
  static constexpr int CONSUMERS = BN / WARPGROUP_ROWS * WARPGROUP;
  static constexpr int THREADS = CONSUMERS + WARPGROUP;  // one more warpgroup copies
  static constexpr int SUMS = PART / 2;                  // of a thread, of one part
  static constexpr int CONSUMER_REGISTERS = CONSUMERS == 2 * WARPGROUP ? 240 : 160;
  static constexpr int PRODUCER_REGISTERS = 24;
  static constexpr int MOST_SUMS = 192;  // that fit in a consumer's registers

  static constexpr bool SCALED = FORMAT == PlaneFormat::fp16x2;

  // bf16x3 keeps two sums of an element: a large one, to which the products of the high planes are promoted slab by
  // slab, and a small one, in which the tensor cores add up all other products.
  static constexpr bool TWO_SUMS = FORMAT == PlaneFormat::bf16x3;
  static constexpr int CHUNK_SLABS = SCALED ? scaled_k / slab_k : 1;  // from one promotion to the next

  static constexpr int PART_BYTES = PART / rows_of_cell * layout.cell_bytes;
  static constexpr int B_BYTES = BN / rows_of_cell * layout.cell_bytes;
  static constexpr int STAGE_BYTES = PARTS * PART_BYTES + B_BYTES;
  static constexpr int SCALE_BYTES = SCALED ? (BN + BM) * int{sizeof(float)} : 0;  // of a chunk, in its first stage

  // A warpgroup's instruction of PART columns and 32 bytes of k takes PART / 2 cycles, the whole block's BM / 2 for
  // each 64 columns of C (512 FMAs of 16 bits a cycle for each of four tensor cores: H100 white paper).
  static constexpr double CYCLES_OF_SLAB =
      plane_pairs(FORMAT) * (slab_k * layout.element_bytes / 32) * BM / 2.0 * (BN / WARPGROUP_ROWS);
  static constexpr double CYCLES_OF_STORE = BM * BN / 4.0;

  static_assert(BM % PART == 0 && BN % WARPGROUP_ROWS == 0, "the parts cover the tile exactly");
  static_assert(!TWO_SUMS || (2 * PARTS + 1) * SUMS <= MOST_SUMS, "two sums, and one on its way to the large one");
  static_assert(STAGES >= 2 * CHUNK_SLABS, "a chunk is read while another one comes");
};

/// The ring of slabs. It lies at a multiple of 1024 bytes, as the swizzles of planes.hpp want it. A part of image A is
/// given back as soon as it has been read, the last one with all that is left of the stage.
template <class Tile>
struct PlaneRing {
  unsigned char cells[Tile::STAGES][Tile::STAGE_BYTES];  ///< of image B, then of image A
  float scales[Tile::SCALED ? Tile::STAGES : 1][Tile::SCALED ? Tile::BN + Tile::BM : 1];
  StageBarrier full[Tile::STAGES];
  StageBarrier empty[Tile::STAGES][Tile::PARTS];
  StageBarrier turn[Tile::CONSUMERS / Tile::WARPGROUP];  ///< of each consuming warpgroup, to begin a part of a chunk
  std::uint32_t ticket;                                  ///< one thread's word to the others
};

/// One item of a block's work.
struct PlaneItem {
  std::int64_t product;
  std::int64_t m0;
  std::int64_t n0;
  std::int64_t cut_tile;  ///< number of the tile among those that are cut, or below 0: a whole tile
  int share;
  int first_slab;
  int slabs;
};

/// Tiles are walked in bands, down the band's columns of tiles before the next row of tiles, so that those which run at
/// the same time share their panels in the L2 cache.
template <class Tile>
__device__ __forceinline__ PlaneItem plane_item(const PlanePlan& plan, int slabs, std::int64_t item) {
  constexpr std::uint32_t band = 16;
  PlaneItem at{};
  const std::int64_t share_item = item - plan.whole;
  at.cut_tile = share_item < 0 ? -1 : share_item / plan.shares;
  at.share = share_item < 0 ? 0 : static_cast<int>(share_item - at.cut_tile * plan.shares);
  at.first_slab = at.share * plan.share_slabs;
  at.slabs = slabs - at.first_slab;
  if (share_item >= 0 && at.slabs > plan.share_slabs) at.slabs = plan.share_slabs;

  const std::int64_t tile_of_all = share_item < 0 ? item : plan.whole + at.cut_tile;
  const std::uint32_t tiles = plan.tiles_m * plan.tiles_n;
  at.product = tile_of_all / tiles;
  const auto tile = static_cast<std::uint32_t>(tile_of_all - at.product * tiles);
  const std::uint32_t first_of_band = tile / (band * plan.tiles_m) * band;
  const std::uint32_t left = plan.tiles_n - first_of_band;
  const std::uint32_t width = left < band ? left : band;
  const std::uint32_t in_band = tile - first_of_band * plan.tiles_m;
  at.m0 = static_cast<std::int64_t>(in_band / width) * Tile::BM;
  at.n0 = static_cast<std::int64_t>(first_of_band + in_band % width) * Tile::BN;
  return at;
}

/// Slabs that have passed: a position in the ring.
template <class Tile>
class SlabCursor {
 public:
  __device__ __forceinline__ int stage() const { return stage_; }
  __device__ __forceinline__ std::uint32_t parity() const { return parity_; }
  __device__ __forceinline__ void advance() {
    if (++stage_ == Tile::STAGES) stage_ = 0, parity_ ^= 1;
  }

 private:
  int stage_ = 0;
  std::uint32_t parity_ = 0;
};

}  // namespace ladder::LADDER_DEVICE
