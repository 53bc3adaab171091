// SPDX-License-Identifier: MIT
// What a consuming warpgroup does with the ring of slabs: it multiplies planes on Hopper's tensor cores and adds up.
//
// The tensor cores add with 24 bits and cut off what lies below (Khattak and Mikaitis, arXiv 2512.07004), an error that
// grows with the number of additions. So the products of a chunk of k are added in sums that start at 0, and these to
// the thread's own, rounded to nearest (Ootomo and Yokota, arXiv 2203.03341, section 3: accumulation outside). All
// products of a chunk go into one sum, the small ones first; in bf16x3 those of the high planes do, and the small ones,
// which lose little, stay in a sum of their own over all of k. With one plane, TF32, that error is far below the one of
// the plane itself.
#pragma once

#include "plane_shares.cuh"
#include "ring_reader.cuh"
#include "tensor_epilogue.cuh"
#include "wgmma_pairs.cuh"

namespace ladder::LADDER_DEVICE {

/// One warpgroup's thread: its sums of a tile.
template <class Tile>
class PlaneSums {
 public:
  __device__ __forceinline__ PlaneSums(PlaneRing<Tile>& ring, const PlanePlan& plan)
      : reader_(ring, plan.arrivals_per_warp) {}

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < Tile::PARTS * Tile::SUMS; ++i) {
      sums_[i / Tile::SUMS][i % Tile::SUMS] = 0.0f;
      if constexpr (Tile::TWO_SUMS) small_[i / Tile::SUMS][i % Tile::SUMS] = 0.0f;
    }
  }

  /// Adds the next `slabs` slabs of the ring.
  __device__ __forceinline__ void add_slabs(int slabs) {
    if constexpr (Tile::TWO_SUMS) {
#pragma unroll 1
      for (; slabs > 0; --slabs) add_slab();
      join_sums();
    } else if constexpr (Tile::SCALED) {
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

  __device__ __forceinline__ StageFactors<Tile> factors(int stage, int part) const {
    return {reader_.cells(stage), reader_.warpgroup(), part};
  }

  template <int SLABS>
  __device__ __forceinline__ void begin(float (&sums)[Tile::SUMS], const int (&stages)[SLABS], int part, bool keeps) {
    if constexpr (SLABS == 1) {
      const StageFactors<Tile> slabs[1] = {factors(stages[0], part)};
      multiply<Tile, 1>(sums, slabs, keeps);
    } else {
      const StageFactors<Tile> slabs[2] = {factors(stages[0], part), factors(stages[1], part)};
      multiply<Tile, 2>(sums, slabs, keeps);
    }
  }

  /// The other warpgroup keeps the tensor cores busy while this one promotes.
  template <int SLABS>
  __device__ __forceinline__ void add_chunk() {
    int stages[SLABS];
    reader_.take(stages);
#pragma unroll
    for (int part = 0; part < Tile::PARTS; ++part) {
      float chunk[Tile::SUMS];
      reader_.await_turn();
      begin(chunk, stages, part, false);
      wait_for_multiplications<1>();
      reader_.pass_turn();
      wait_for_multiplications<0>();
      hold_sums(chunk);
      const bool scales_left = part == Tile::PARTS - 1;
      if (!scales_left) reader_.release(stages, part);
      promote(chunk, stages[0], part);
      if (scales_left) reader_.release(stages, part);
    }
  }

  /// Two sums: only the large products start at 0 and are promoted, and the small ones are under way meanwhile.
  __device__ __forceinline__ void add_slab() {
    constexpr int large = plane_pairs(Tile::FORMAT) - 1;
    constexpr int half = plane_pairs(Tile::FORMAT) / 2 - 1;
    int stages[1];
    reader_.take(stages);
#pragma unroll
    for (int part = 0; part < Tile::PARTS; ++part) {
      const StageFactors<Tile> slabs[1] = {factors(stages[0], part)};
      float chunk[Tile::SUMS];
      reader_.await_turn();
      hold_sums(chunk);
      hold_sums(small_[part]);
      begin_multiplications();
      multiply_pairs<Tile, large, large + 1>(chunk, slabs, false);
      multiply_pairs<Tile, 0, half>(small_[part], slabs, true);
      multiply_pairs<Tile, half, large>(small_[part], slabs, true);
      wait_for_multiplications<2>();
      hold_sums(chunk);
#pragma unroll
      for (int i = 0; i < Tile::SUMS; ++i) sums_[part][i] = __fadd_rn(sums_[part][i], chunk[i]);
      wait_for_multiplications<1>();
      reader_.pass_turn();
      wait_for_multiplications<0>();
      hold_sums(small_[part]);
      reader_.release(stages, part);
    }
  }

  __device__ __forceinline__ void join_sums() {
#pragma unroll
    for (int i = 0; i < Tile::PARTS * Tile::SUMS; ++i) {
      float& sum = sums_[i / Tile::SUMS][i % Tile::SUMS];
      sum = __fadd_rn(sum, small_[i / Tile::SUMS][i % Tile::SUMS]);
    }
  }

  __device__ __forceinline__ void promote(const float (&chunk)[Tile::SUMS], int stage, int part) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const float* of_b = reader_.scales(stage) + warp * 16 + lane / 4;
    const float* of_a = reader_.scales(stage) + Tile::BN + part * Tile::PART + lane % 4 * 2;
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
  }

  template <int SLABS>
  __device__ __forceinline__ void accumulate(bool keeps) {
    static_assert(Tile::PARTS == 1, "one sum for all of k");
    int stages[SLABS];
    reader_.take(stages);
    begin(sums_[0], stages, 0, keeps);
    wait_for_multiplications<0>();
    hold_sums(sums_[0]);
    reader_.release(stages, 0);
  }

  RingReader<Tile> reader_;
  float sums_[Tile::PARTS][Tile::SUMS];
  float small_[Tile::TWO_SUMS ? Tile::PARTS : 1][Tile::TWO_SUMS ? Tile::SUMS : 1];
};

}  // namespace ladder::LADDER_DEVICE
