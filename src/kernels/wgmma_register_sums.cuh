// SPDX-License-Identifier: MIT
// What a consuming warpgroup does where one operand does not lie along k, as wgmma wants both of its factors in shared
// memory: that operand's fragments go through registers. GPU only, sm_90a only.
#pragma once

#include "plane_shares.cuh"
#include "plane_tile.cuh"
#include "tensor_epilogue.cuh"
#include "wgmma_words.cuh"

namespace ladder::LADDER_DEVICE {

/// A tile of 128 rows of the operand in registers (the instruction's M) by RIGHT rows of the other one. TURNED: the
/// former are rows of C, not columns. In the ring the operand in registers takes image B's place, the other image A's.
template <int RIGHT, int STAGES, bool TURNED_>
struct RegisterTile : PlaneTile<PlaneFormat::tf32, RIGHT, 128, RIGHT, STAGES> {
  using Ring = PlaneTile<PlaneFormat::tf32, RIGHT, 128, RIGHT, STAGES>;
  static constexpr bool TURNED = TURNED_;
  static constexpr int LEFT = Ring::BN;
  static constexpr int BM = TURNED ? Ring::BN : Ring::BM;
  static constexpr int BN = TURNED ? Ring::BM : Ring::BN;
  static constexpr TileExtents extents{BM, BN, Ring::BK, STAGES};

  // The operand in registers lies in boxes of 32 k by 32 rows, a line of 128 bytes for each k, the lines' chunks
  // permuted as those of a cell are.
  static constexpr int BOX_ROWS = 32;
  static constexpr int BOX_BYTES = slab_k * BOX_ROWS * int{sizeof(float)};
  static constexpr int BOXES = LEFT / BOX_ROWS;
};

/// One warpgroup's thread: its sums of a tile.
///
/// Which of a warp's 16 rows makes which row of the instruction is free. Row `group` stands for the first of a pair of
/// neighbours, row group + 8 for the second: they are read as 64 bits. The pairs of a warp are those of four chunks,
/// two and two of them apart so that sixteen lanes, four k of four groups, meet different banks. `group` and `member`:
/// as in tensor_words.cuh.
template <class Tile>
class RegisterSums {
 public:
  __device__ __forceinline__ RegisterSums(PlaneRing<Tile>& ring, const PlanePlan& plan)
      : ring_(ring), arrivals_per_warp_(plan.arrivals_per_warp) {
    constexpr int chunk_floats = chunk_bytes / int{sizeof(float)};
    const int row = first_row();
    const int in_box = row % Tile::BOX_ROWS;
    const int chunk = in_box / chunk_floats;
    box_ = row / Tile::BOX_ROWS * Tile::BOX_BYTES + in_box % chunk_floats * int{sizeof(float)};
    for (int half = 0; half < 2; ++half) {
      const int k = static_cast<int>(threadIdx.x) % 4 + half * 4;
      at_k_[half] = k * line_bytes + (chunk ^ k) * chunk_bytes;
    }
  }

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (float& sum : sums_) sum = 0.0f;
  }

  /// Adds the next `slabs` slabs of the ring. One slab's fragments are read while another one is multiplied.
  __device__ __forceinline__ void add_slabs(int slabs) {
    if (slabs <= 0) return;
    int stage = take();
    load(fragments_[0], stage);
#pragma unroll 1
    for (; slabs > 2; slabs -= 2) {
      multiply_and_load<0>(stage);
      multiply_and_load<1>(stage);
    }
    if (slabs == 2) {
      multiply_and_load<0>(stage);
      multiply(fragments_[1], stage);
    } else {
      multiply(fragments_[0], stage);
    }
    end(stage);
  }

  /// Where this thread's pair number `pair` stands in the tile.
  static __device__ __forceinline__ PairPlace place_of(int pair) {
    const int right = pair / 2 * 8 + static_cast<int>(threadIdx.x) % 4 * 2;
    if constexpr (Tile::TURNED) return {first_row(), right + pair % 2};
    return {right, first_row() + pair % 2};
  }

  __device__ __forceinline__ TilePair pair(int pair) const {
    const PairPlace at = place_of(pair);
    const float* sums = sums_ + pair / 2 * 4;
    if constexpr (Tile::TURNED) return {at.row, at.column, {sums[pair % 2], sums[pair % 2 + 2]}};
    return {at.row, at.column, {sums[pair % 2 * 2], sums[pair % 2 * 2 + 1]}};
  }

  /// The sums for another block, and from one.
  __device__ __forceinline__ void store_part(float* part) const { store_quads<Tile::CONSUMERS>(sums_, part); }
  __device__ __forceinline__ void load_part(const float* part) { load_quads<Tile::CONSUMERS>(sums_, part); }
  __device__ __forceinline__ void add_part(const float* part) { add_quads<Tile::CONSUMERS>(sums_, part); }

 private:
  static constexpr int line_bytes = Tile::BOX_ROWS * int{sizeof(float)};
  static constexpr int k_of_step = 8;  // of an instruction
  static constexpr int steps = slab_k / k_of_step;
  using Fragments = float[steps][4];

  /// The row of the instruction's row `group`; the next one is that of row group + 8.
  static __device__ __forceinline__ int first_row() {
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread / warp_size;
    const int group = thread % warp_size / 4;
    return warp / 2 * Tile::BOX_ROWS + warp % 2 * 8 + group / 2 % 2 * 16 + group / 4 * 4 + group % 2 * 2;
  }

  __device__ __forceinline__ int take() {
    const int stage = cursor_.stage();
    ring_.full[stage].wait(cursor_.parity());
    cursor_.advance();
    return stage;
  }

  __device__ __forceinline__ void load(Fragments& fragments, int stage) const {
    const unsigned char* const box = ring_.cells[stage] + box_;
#pragma unroll
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const unsigned char* const at = box + at_k_[half] + step * k_of_step * line_bytes;
        const float2 rows = *reinterpret_cast<const float2*>(at);
        fragments[step][2 * half] = rows.x, fragments[step][2 * half + 1] = rows.y;
      }
    }
  }

  /// Begins the products of a slab.
  __device__ __forceinline__ void multiply(const Fragments& fragments, int stage) {
    constexpr int step_bytes = k_of_step * int{sizeof(float)};
    const auto right = PlaneFactor::in_cells<PlaneFormat::tf32>(smem_address(ring_.cells[stage]) + Tile::B_BYTES);
    hold_sums(sums_);
    begin_multiplications();
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      WarpgroupMultiplyRegisters<Tile::PART>::add(sums_, fragments[step], right + step * step_bytes);
    }
    close_multiplications();
  }

  /// The products are done; so is the stage.
  __device__ __forceinline__ void end(int stage) {
    wait_for_multiplications<0>();
    hold_sums(sums_);
    __syncwarp();
    if (static_cast<int>(threadIdx.x) % warp_size < arrivals_per_warp_) ring_.empty[stage][0].arrive();
  }

  template <int NOW>
  __device__ __forceinline__ void multiply_and_load(int& stage) {
    multiply(fragments_[NOW], stage);
    const int next = take();
    load(fragments_[1 - NOW], next);
    end(stage);
    stage = next;
  }

  PlaneRing<Tile>& ring_;
  int arrivals_per_warp_;
  SlabCursor<Tile> cursor_;
  int box_;      // bytes from a stage's first to this thread's first
  int at_k_[2];  // bytes from there to its k, and to the k four later
  float sums_[Tile::SUMS];
  Fragments fragments_[2];
};

}  // namespace ladder::LADDER_DEVICE
