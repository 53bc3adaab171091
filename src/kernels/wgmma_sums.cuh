// SPDX-License-Identifier: MIT
// What a consuming warpgroup does with the ring of slabs: it multiplies planes on Hopper's tensor cores and adds up.
//
// The tensor cores add with 24 bits and cut off what lies below (Khattak and Mikaitis, arXiv 2512.07004), an error that
// grows with the number of additions. So the products of a chunk of k, the small ones first, are added in a sum that
// starts at 0, and that sum is added to the thread's own, rounded to nearest (Ootomo and Yokota, arXiv 2203.03341,
// section 3: accumulation outside). With one plane, TF32, that error is far below the one of the plane itself.
#pragma once

#include "plane_shares.cuh"
#include "plane_tile.cuh"
#include "tensor_epilogue.cuh"
#include "wgmma_words.cuh"

namespace ladder::LADDER_DEVICE {

/// The factors of one warpgroup in one stage: its 64 rows of image B, and the rows of image A from `part` on.
template <class Tile>
struct StageFactors {
  PlaneFactor b;
  PlaneFactor a;

  __device__ __forceinline__ StageFactors(const unsigned char* cells, int warpgroup, int part)
      : b(PlaneFactor::in_cells<Tile::FORMAT>(smem_address(cells) + warpgroup * warpgroup_bytes)),
        a(PlaneFactor::in_cells<Tile::FORMAT>(smem_address(cells) + Tile::B_BYTES + part * Tile::PART_BYTES)) {}

 private:
  static constexpr int warpgroup_bytes = Tile::WARPGROUP_ROWS / rows_of_cell * Tile::layout.cell_bytes;
};

/// Begins the products of `SLABS` slabs, small ones first. `keeps`: they are added to what the sums hold.
template <class Tile, int SLABS>
__device__ __forceinline__ void multiply(float (&sums)[Tile::SUMS], const StageFactors<Tile> (&slabs)[SLABS],
                                         bool keeps) {
  constexpr PlaneLayout layout = Tile::layout;
  constexpr int step_bytes = 32;  // of k, in one instruction
  constexpr int plane_bytes =
      layout.planes_of_a_row > 1 ? slab_k * layout.element_bytes : rows_of_cell * layout.row_bytes;
  constexpr int steps = slab_k * layout.element_bytes / step_bytes;
  hold_sums(sums);
  begin_multiplications();
#pragma unroll
  for (int i = 0; i < plane_pairs(Tile::FORMAT); ++i) {
    if (Tile::PROMOTES && i == plane_pairs(Tile::FORMAT) / 2) close_multiplications();
    const PlanePair pair = plane_pair(Tile::FORMAT, i);
#pragma unroll
    for (int slab = 0; slab < SLABS; ++slab) {
#pragma unroll
      for (int step = 0; step < steps; ++step) {
        const bool first = i == 0 && slab == 0 && step == 0;
        WarpgroupMultiply<Tile::FORMAT, Tile::PART>::add(
            sums, slabs[slab].b + (pair.b * plane_bytes + step * step_bytes),
            slabs[slab].a + (pair.a * plane_bytes + step * step_bytes), keeps || !first);
      }
    }
  }
  close_multiplications();
}

/// One warpgroup's thread: its sums of a tile.
template <class Tile>
class PlaneSums {
 public:
  __device__ __forceinline__ PlaneSums(PlaneRing<Tile>& ring, int arrivals_per_warp)
      : ring_(ring),
        arrivals_per_warp_(arrivals_per_warp),
        warpgroup_(of_whole_warp(static_cast<int>(threadIdx.x) / Tile::WARPGROUP)),
        turn_parity_(warpgroup_ == 0 ? 1 : 0) {}

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int part = 0; part < Tile::PARTS; ++part) {
#pragma unroll
      for (int i = 0; i < Tile::SUMS; ++i) sums_[part][i] = 0.0f;
    }
  }

  /// Adds the next `slabs` slabs of the ring.
  __device__ __forceinline__ void add_slabs(int slabs) {
    if constexpr (Tile::PROMOTES) {
#pragma unroll 1
      for (; slabs >= Tile::CHUNK_SLABS; slabs -= Tile::CHUNK_SLABS) add_chunk<Tile::CHUNK_SLABS>();
      if (Tile::CHUNK_SLABS > 1 && slabs > 0) add_chunk<1>();
    } else {
      bool keeps = false;
#pragma unroll 1
      for (; slabs >= 2; slabs -= 2, keeps = true) accumulate<2>(keeps);
      if (slabs > 0) accumulate<1>(keeps);
    }
  }

  /// Where this thread's pair number `pair` stands in the tile.
  static __device__ __forceinline__ PairPlace place_of(int pair) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const int part = pair / (Tile::SUMS / 2);
    const int in_part = pair % (Tile::SUMS / 2);
    return {part * Tile::PART + in_part / 2 * 8 + lane % 4 * 2, warp * 16 + lane / 4 + in_part % 2 * 8};
  }

  __device__ __forceinline__ TilePair pair(int pair) const {
    const PairPlace at = place_of(pair);
    const float* sums = sums_[pair / (Tile::SUMS / 2)] + pair % (Tile::SUMS / 2) * 2;
    return {at.row, at.column, {sums[0], sums[1]}};
  }

  /// The sums for another block, and from one.
  __device__ __forceinline__ void store_part(float* part) const {
#pragma unroll
    for (int i = 0; i < Tile::PARTS; ++i) store_quads<Tile::CONSUMERS>(sums_[i], part + i * part_stride);
  }

  __device__ __forceinline__ void load_part(const float* part) {
#pragma unroll
    for (int i = 0; i < Tile::PARTS; ++i) load_quads<Tile::CONSUMERS>(sums_[i], part + i * part_stride);
  }

  __device__ __forceinline__ void add_part(const float* part) {
#pragma unroll
    for (int i = 0; i < Tile::PARTS; ++i) add_quads<Tile::CONSUMERS>(sums_[i], part + i * part_stride);
  }

 private:
  static constexpr int part_stride = Tile::SUMS * Tile::CONSUMERS;

  /// Waits for the next SLABS stages and moves on behind them.
  template <int SLABS>
  __device__ __forceinline__ void take(int (&stages)[SLABS]) {
#pragma unroll
    for (int& stage : stages) {
      stage = cursor_.stage();
      ring_.full[stage].wait(cursor_.parity());
      cursor_.advance();
    }
  }

  /// This warp has read part number `part` of the stages, and if that is the last one, all of them.
  template <int SLABS>
  __device__ __forceinline__ void release(const int (&stages)[SLABS], int part) {
    __syncwarp();
    if (static_cast<int>(threadIdx.x % warp_size) >= arrivals_per_warp_) return;
#pragma unroll
    for (const int stage : stages) ring_.empty[stage][part].arrive();
  }

  /// The warpgroups begin in turn, each when the one before it is half done: so that one has products to go on with
  /// while another promotes. Left alone, they wait for the same slabs and promote all at once.
  __device__ __forceinline__ void await_turn() {
    ring_.turn[warpgroup_].wait(turn_parity_);
    turn_parity_ ^= 1;
  }

  __device__ __forceinline__ void pass_turn() {
    constexpr int warpgroups = Tile::CONSUMERS / Tile::WARPGROUP;
    if (threadIdx.x % Tile::WARPGROUP == 0) ring_.turn[(warpgroup_ + 1) % warpgroups].arrive();
  }

  template <int SLABS>
  __device__ __forceinline__ void begin(float (&sums)[Tile::SUMS], const int (&stages)[SLABS], int part, bool keeps) {
    if constexpr (SLABS == 1) {
      const StageFactors<Tile> slabs[1] = {{ring_.cells[stages[0]], warpgroup_, part}};
      multiply<Tile, 1>(sums, slabs, keeps);
    } else {
      const StageFactors<Tile> slabs[2] = {{ring_.cells[stages[0]], warpgroup_, part},
                                           {ring_.cells[stages[1]], warpgroup_, part}};
      multiply<Tile, 2>(sums, slabs, keeps);
    }
  }

  /// The other warpgroup keeps the tensor cores busy while this one promotes.
  template <int SLABS>
  __device__ __forceinline__ void add_chunk() {
    int stages[SLABS];
    take(stages);
#pragma unroll
    for (int part = 0; part < Tile::PARTS; ++part) {
      float chunk[Tile::SUMS];
      await_turn();
      begin(chunk, stages, part, false);
      wait_for_multiplications<1>();
      pass_turn();
      wait_for_multiplications<0>();
      hold_sums(chunk);
      const bool scales_left = Tile::SCALED && part == Tile::PARTS - 1;
      if (!scales_left) release(stages, part);
      promote(chunk, stages[0], part);
      if (scales_left) release(stages, part);
    }
  }

  __device__ __forceinline__ void promote(const float (&chunk)[Tile::SUMS], int stage, int part) {
    if constexpr (Tile::SCALED) {
      const int lane = static_cast<int>(threadIdx.x) % warp_size;
      const int warp = static_cast<int>(threadIdx.x) / warp_size;
      const float* of_b = ring_.scales[stage] + warp * 16 + lane / 4;
      const float* of_a = ring_.scales[stage] + Tile::BN + part * Tile::PART + lane % 4 * 2;
      const float scale_b[2] = {of_b[0], of_b[8]};
#pragma unroll
      for (int i = 0; i < Tile::SUMS; i += 4) {
        const float2 scale_a = *reinterpret_cast<const float2*>(of_a + i * 2);
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          const float scaled = __fmul_rn(chunk[i + j], scale_b[j / 2]);
          sums_[part][i + j] = __fmaf_rn(scaled, j % 2 == 0 ? scale_a.x : scale_a.y, sums_[part][i + j]);
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < Tile::SUMS; ++i) sums_[part][i] = __fadd_rn(sums_[part][i], chunk[i]);
    }
  }

  template <int SLABS>
  __device__ __forceinline__ void accumulate(bool keeps) {
    static_assert(Tile::PARTS == 1, "one sum for all of k");
    int stages[SLABS];
    take(stages);
    begin(sums_[0], stages, 0, keeps);
    wait_for_multiplications<0>();
    hold_sums(sums_[0]);
    release(stages, 0);
  }

  PlaneRing<Tile>& ring_;
  int arrivals_per_warp_;
  SlabCursor<Tile> cursor_;
  int warpgroup_;
  std::uint32_t turn_parity_;  // the first warpgroup's first turn is there from the start
  float sums_[Tile::PARTS][Tile::SUMS];
};

}  // namespace ladder::LADDER_DEVICE
