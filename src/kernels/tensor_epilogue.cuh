// SPDX-License-Identifier: MIT
// The way of sums from the tensor cores into C. The instructions leave a thread two rows of a column of C side by side:
// a pair. Pairs are stored a group at a time, so that the old values of a group are on their way together.
#pragma once

#include "finish.cuh"
#include "planes.hpp"

namespace ladder::LADDER_DEVICE {

/// What a sum of products of planes is to be multiplied with.
template <PlaneFormat FORMAT>
inline constexpr float unit_of_sums = FORMAT == PlaneFormat::bf16x3 ? 0x1p-32f : 1.0f;
static_assert(bf16x3_exponent == 16, "both factors carry 2^16");

/// Two neighbours in a column of C, counted from a tile's corner.
struct TilePair {
  int row;
  int column;
  float sum[2];
};

/// A tile of C that is BM rows high, seen as pairs.
class PairsOfC {
 public:
  __device__ __forceinline__ PairsOfC(const GemmProduct& p, const BlockTile& tile, int bm)
      : corner_(p.c + tile.m0 + tile.n0 * p.ldc),
        ldc_(p.ldc),
        rows_(tile.rows < bm ? tile.rows : bm),
        columns_(tile.columns),
        whole_(reinterpret_cast<std::uintptr_t>(corner_) % sizeof(float2) == 0 && (p.ldc | rows_) % 2 == 0) {}

  /// True where no pair is cut and all are aligned to 64 bits.
  __device__ __forceinline__ bool are_whole() const { return whole_; }

  /// Rows of a pair in this column that C has: 0 to 2.
  __device__ __forceinline__ int rows_at(int row, int column) const {
    if (column >= columns_ || row >= rows_) return 0;
    return row + 1 < rows_ ? 2 : 1;
  }

  template <bool WHOLE>
  __device__ __forceinline__ float2 read(int row, int column) const {
    const float* c = at(row, column);
    const int rows = rows_at(row, column);
    if constexpr (WHOLE) return rows > 0 ? *reinterpret_cast<const float2*>(c) : make_float2(0.0f, 0.0f);
    return make_float2(rows > 0 ? c[0] : 0.0f, rows > 1 ? c[1] : 0.0f);
  }

  template <bool WHOLE>
  __device__ __forceinline__ void write(int row, int column, float2 value) const {
    float* c = at(row, column);
    const int rows = rows_at(row, column);
    if constexpr (WHOLE) {
      if (rows > 0) *reinterpret_cast<float2*>(c) = value;
    } else {
      if (rows > 0) c[0] = value.x;
      if (rows > 1) c[1] = value.y;
    }
  }

 private:
  __device__ __forceinline__ float* at(int row, int column) const { return corner_ + row + column * ldc_; }

  float* corner_;
  std::int64_t ldc_;
  int rows_;
  int columns_;
  bool whole_;
};

/// Blends COUNT pairs into C, number i being pair_of(i), each sum multiplied by `unit` first.
template <int COUNT, bool WHOLE, class PairOf>
__device__ __forceinline__ void blend_pairs(const PairsOfC& c, const Scalars& s, float unit, const PairOf& pair_of) {
  constexpr int group = COUNT % 8 == 0 ? 8 : COUNT;
#pragma unroll
  for (int first = 0; first < COUNT; first += group) {
    float2 old[group];
#pragma unroll
    for (int i = 0; i < group; ++i) {
      const TilePair pair = pair_of(first + i);
      old[i] = make_float2(0.0f, 0.0f);
      if (s.beta != 0.0f) old[i] = c.read<WHOLE>(pair.row, pair.column);
    }
#pragma unroll
    for (int i = 0; i < group; ++i) {
      const TilePair pair = pair_of(first + i);
      c.write<WHOLE>(pair.row, pair.column,
                     make_float2(blend(s, __fmul_rn(pair.sum[0], unit), &old[i].x),
                                 blend(s, __fmul_rn(pair.sum[1], unit), &old[i].y)));
    }
  }
}

template <int COUNT, class PairOf>
__device__ __forceinline__ void store_pairs(const PairsOfC& c, const Scalars& s, float unit, const PairOf& pair_of) {
  if (c.are_whole()) {
    blend_pairs<COUNT, true>(c, s, unit, pair_of);
  } else {
    blend_pairs<COUNT, false>(c, s, unit, pair_of);
  }
}

/// Where a pair stands in its tile.
struct PairPlace {
  int row;
  int column;
};

/// The rest of the epilogue, where there is any, for `count` pairs that this thread has stored; number i stands at
/// place_of(i) in `tile`, a tile of product number `product`. One is on its way while another is finished.
template <class PlaceOf>
__device__ __forceinline__ void finish_pairs(const PairsOfC& c, const Epilogue& epilogue, const GemmProduct& p,
                                             std::int64_t product, const BlockTile& tile, int count,
                                             const PlaceOf& place_of) {
  PairPlace ahead_at = place_of(0);
  float2 ahead = c.read<false>(ahead_at.row, ahead_at.column);
#pragma unroll 1
  for (int pair = 0; pair < count; ++pair) {
    const PairPlace at = ahead_at;
    float value[2] = {ahead.x, ahead.y};
    if (pair + 1 < count) {
      ahead_at = place_of(pair + 1);
      ahead = c.read<false>(ahead_at.row, ahead_at.column);
    }
    const ElementPlace in_c{product, tile.m0 + at.row, tile.n0 + at.column};
    finish(epilogue, p, in_c, value, c.rows_at(at.row, at.column));
    c.write<false>(at.row, at.column, make_float2(value[0], value[1]));
  }
}

}  // namespace ladder::LADDER_DEVICE
