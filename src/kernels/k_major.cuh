// SPDX-License-Identifier: MIT
// What one warp of a k-major block does: it computes the whole block tile for its share of every step of k, out of a
// ring of stages that no other warp looks into.
//
// W stays in its own order: its quads along k are what a lane reads, four steps at once. X, which is small, is turned
// on its way to shared memory: fragments of both that lie along k would meet each other in one register bank.
#pragma once

#include "wide_operand.cuh"

namespace ladder::LADDER_DEVICE {

/// Each warp computes BM rows x BN lines, TM x TN a lane, with STAGES of its slices in flight or at work.
template <int BM_, int BN_, int TM_, int TN_, int STAGES_>
struct KMajorTile {
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int TM = TM_;
  static constexpr int TN = TN_;
  static constexpr int STAGES = STAGES_;
  static constexpr int WARPS = 8;
  static constexpr int THREADS = WARPS * warp_size;
  static constexpr int SLICE = 16;            // of k, what a warp takes of a step: two 32-byte sectors of a row of W
  static constexpr int STEP = WARPS * SLICE;  // neighbouring warps read on where the first one stops
  static constexpr int LANES_M = BM / TM;
  static constexpr int LANES_N = BN / TN;
  static constexpr int X_LINE = BN + vec;  // the pad spreads the copies of eight steps over all banks
  static constexpr int W_FLOATS = BM * SLICE;
  static constexpr int STAGE_FLOATS = W_FLOATS + SLICE * X_LINE;
  static constexpr int RING_FLOATS = STAGES * STAGE_FLOATS;
  static constexpr int SUMS_LINE = BM + LANES_M / vec;  // the pad keeps the lanes' stores off each other's banks
  static constexpr TileExtents extents{BM, BN, STEP, STAGES};

  static_assert(LANES_M * LANES_N == warp_size && LANES_M >= 4, "the tile holds one thread tile a lane");
  static_assert(TM % vec == 0 && TN % vec == 0, "a lane's rows and lines are read four at a time");
  static_assert(SUMS_LINE * BN <= RING_FLOATS, "a warp's sums take the place of its ring");

  /// Where quad `quad` of row `row` of W lies in a stage: one quad of eight rows in turn meets 32 different banks.
  static __device__ __forceinline__ int place_of_w(int row, int quad) {
    return row * SLICE + ((quad ^ row / 2) & 3) * vec;
  }

  /// A lane's place along m and n. Lanes that differ in bit 0 share their rows, in bit 1 their lines: shared memory
  /// answers both reads in two wavefronts.
  static __device__ __forceinline__ int lane_m(int lane) { return (lane >> 1 & 3) | lane / (4 * LANES_N) * 4; }
  static __device__ __forceinline__ int lane_n(int lane) { return (lane & 1) | (lane >> 3 & (LANES_N / 2 - 1)) * 2; }
};

/// One warp's copies, a slice of each step of k after the other. What lies outside the operands is not read.
template <class Tile>
class KMajorFeed {
 public:
  /// Of the tile at (row0, line0), from step k0 of k on.
  __device__ __forceinline__ KMajorFeed(const WideProduct& v, std::int64_t row0, int line0, std::int64_t k0, int lane)
      : ldw_(v.ldw),
        x_line_(v.x_line),
        x_k_(v.x_k),
        rows_left_(panel_extent(v.rows - row0) - lane / W_LANES),
        lines_left_(v.lines - line0 - lane / X_LANES),
        is_whole_(v.rows - row0 >= Tile::BM && v.lines - line0 >= Tile::BN),
        w_first_(lane % W_LANES * vec),
        x_first_(lane % X_LANES),
        w_place_(Tile::place_of_w(lane / W_LANES, lane % W_LANES)),
        x_place_(Tile::W_FLOATS + x_first_ * Tile::X_LINE + lane / X_LANES),
        w_(v.w + (row0 + lane / W_LANES) * v.ldw + k0 + w_first_),
        x_(v.x + (line0 + lane / X_LANES) * v.x_line + (k0 + x_first_) * v.x_k) {}

  /// Issues the copies of this warp's slice of the next step: `count` of k, of which the slice takes what it can.
  __device__ __forceinline__ void issue(float* stage, int count) {
    if (is_whole_ && count >= Tile::SLICE) {
      copy_all(stage);
    } else {
      copy_some(stage, count);
    }
    w_ += Tile::STEP;
    x_ += Tile::STEP * x_k_;
  }

 private:
  static constexpr int W_LANES = Tile::SLICE / vec;  // along k
  static constexpr int W_ROWS = warp_size / W_LANES;
  static constexpr int X_LANES = 8;  // along k: a sector of a line that is k-major
  static constexpr int X_LINES = warp_size / X_LANES;

  __device__ __forceinline__ void copy_all(float* stage) const {
    const float* w = w_;
#pragma unroll
    for (int i = 0; i < Tile::BM; i += W_ROWS) {
      async_copy<sizeof(float4)>(stage + w_place_ + i * Tile::SLICE, w);
      w += W_ROWS * ldw_;
    }
    const float* x = x_;
    const float* x_later = x_ + X_LANES * x_k_;
#pragma unroll
    for (int j = 0; j < Tile::BN; j += X_LINES) {
      async_copy<sizeof(float)>(stage + x_place_ + j, x);
      async_copy<sizeof(float)>(stage + x_place_ + X_LANES * Tile::X_LINE + j, x_later);
      x += X_LINES * x_line_;
      x_later += X_LINES * x_line_;
    }
  }

  __device__ __forceinline__ void copy_some(float* stage, int count) const {
    const int floats = count - w_first_ < vec ? count - w_first_ : vec;
    const int bytes = floats > 0 ? floats * int{sizeof(float)} : 0;
    const float* w = w_;
#pragma unroll 1
    for (int i = 0; i < Tile::BM; i += W_ROWS) {
      async_copy_some(stage + w_place_ + i * Tile::SLICE, w, i < rows_left_ ? bytes : 0);
      w += W_ROWS * ldw_;
    }
    const float* x = x_;
#pragma unroll 1
    for (int j = 0; j < Tile::BN; j += X_LINES) {
      const CopyTarget to(stage + x_place_ + j);
      async_copy_if(j < lines_left_ && x_first_ < count, to, x);
      async_copy_if(j < lines_left_ && x_first_ + X_LANES < count, to + X_LANES * Tile::X_LINE, x + X_LANES * x_k_);
      x += X_LINES * x_line_;
    }
  }

  std::int64_t ldw_;
  std::int64_t x_line_;
  std::int64_t x_k_;
  int rows_left_;
  int lines_left_;
  bool is_whole_;  // the tile lies inside C
  int w_first_;    // this lane's first step of a slice
  int x_first_;
  int w_place_;
  int x_place_;
  const float* w_;
  const float* x_;
};

/// A lane's TM x TN sums over its warp's slices.
template <class Tile>
class KMajorSums {
 public:
  /// A sum of no products is -0, which changes nothing that it is added to.
  __device__ __forceinline__ KMajorSums(int lane, bool has_products)
      : w_place_(Tile::lane_m(lane) * Tile::SLICE),
        w_quad_(Tile::lane_m(lane) / 2),
        x_place_(Tile::W_FLOATS + Tile::lane_n(lane) * vec) {
    const float start = has_products ? 0.0f : -0.0f;
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) {
#pragma unroll
      for (int j = 0; j < Tile::TN; ++j) sum_[i][j] = start;
    }
  }

  /// Adds a whole slice.
  __device__ __forceinline__ void add_slice(const float* stage) {
#pragma unroll
    for (int quad = 0; quad < Tile::SLICE / vec; ++quad) {
      float x[vec][Tile::TN];
#pragma unroll
      for (int k = 0; k < vec; ++k) load_x(x[k], stage, quad * vec + k);
#pragma unroll
      for (int first = 0; first < Tile::TM; first += vec) {
        float4 w[vec];
#pragma unroll
        for (int i = 0; i < vec; ++i) w[i] = w_quad(stage, first + i, quad);
#pragma unroll
        for (int k = 0; k < vec; ++k) {
#pragma unroll
          for (int i = 0; i < vec; ++i) add(first + i, component(w[i], k), x[k]);
        }
      }
    }
  }

  /// Adds the first `count` steps of a slice.
  __device__ __forceinline__ void add_some(const float* stage, int count) {
#pragma unroll 1
    for (int k = 0; k < count; ++k) {
      float x[Tile::TN];
      load_x(x, stage, k);
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) {
        const int quad = (k / vec ^ w_quad_ ^ i * Tile::LANES_M / 2) & 3;
        add(i, stage[w_place_ + i * Tile::LANES_M * Tile::SLICE + quad * vec + k % vec], x);
      }
    }
  }

  /// Writes the sums line by line.
  __device__ __forceinline__ void store(float* sums, int lane) const {
    float* to = sums + Tile::lane_n(lane) * vec * Tile::SUMS_LINE + Tile::lane_m(lane);
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) {
        to[(j / vec * vec * Tile::LANES_N + j % vec) * Tile::SUMS_LINE + i * Tile::LANES_M] = sum_[i][j];
      }
    }
  }

 private:
  __device__ __forceinline__ float4 w_quad(const float* stage, int i, int quad) const {
    // place_of_w(), with the lane's part of the permutation apart from what is known at compile time.
    const int place = w_place_ + ((quad ^ w_quad_ ^ i * Tile::LANES_M / 2) & 3) * vec;
    return *reinterpret_cast<const float4*>(stage + place + i * Tile::LANES_M * Tile::SLICE);
  }

  __device__ __forceinline__ void load_x(float (&x)[Tile::TN], const float* stage, int k) const {
#pragma unroll
    for (int j = 0; j < Tile::TN; j += vec) {
      const float4 quad = *reinterpret_cast<const float4*>(stage + x_place_ + k * Tile::X_LINE + j * Tile::LANES_N);
      x[j] = quad.x, x[j + 1] = quad.y, x[j + 2] = quad.z, x[j + 3] = quad.w;
    }
  }

  __device__ __forceinline__ void add(int i, float w, const float (&x)[Tile::TN]) {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) sum_[i][j] = __fmaf_rn(w, x[j], sum_[i][j]);
  }

  int w_place_;
  int w_quad_;
  int x_place_;
  float sum_[Tile::TM][Tile::TN];
};

}  // namespace ladder::LADDER_DEVICE
