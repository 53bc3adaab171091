// SPDX-License-Identifier: MIT
// A warp whose lanes run along k: how it reads rows of W and lines of X, and how its lanes' sums meet.
#pragma once

#include "wide_sums.cuh"

namespace ladder::LADDER_DEVICE {

inline constexpr int DOT_STEP = warp_size * vec;  ///< of k, of a warp

/// How a warp reads the rows of W from row0 on, and X. In quads each lane has four neighbours; else its elements are
/// 32 apart, so that the lanes' are neighbours.
template <int NX_, bool QUADS>
class DotFeed {
 public:
  static constexpr int NX = NX_;
  static constexpr int STAGES = wide_stages(NX, QUADS);

  __device__ __forceinline__ DotFeed(const WideProduct& v, std::int64_t row0, std::int64_t k0, int lane)
      : ldw_(v.ldw),
        x_line_(v.x_line),
        x_k_(v.x_k),
        rows_(panel_extent(v.rows - row0)),
        lines_(v.lines),
        lane_(lane),
        w_(v.w + row0 * v.ldw + k0 + lane * WIDTH),
        x_(v.x + (k0 + lane * WIDTH) * v.x_k) {}

  __device__ __forceinline__ void load_w(float4 (&w)[WIDE_ROWS]) {
    const float* row = w_;
#pragma unroll
    for (int r = 0; r < WIDE_ROWS; ++r) {
      if (r < rows_) {
        w[r] = QUADS ? load_once(row) : make_float4(row[0], row[warp_size], row[2 * warp_size], row[3 * warp_size]);
      } else {
        w[r] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      }
      row += ldw_;
    }
    w_ += DOT_STEP;
  }

  __device__ __forceinline__ void load_x(float4 (&x)[NX]) {
    const float* line = x_;
    const std::int64_t next = warp_size * x_k_;
#pragma unroll
    for (int l = 0; l < NX; ++l) {
      x[l] = QUADS ? *reinterpret_cast<const float4*>(line)
                   : make_float4(line[0], line[next], line[2 * next], line[3 * next]);
      if (l + 1 < lines_) line += x_line_;
    }
    x_ += DOT_STEP * x_k_;
  }

  /// Residue step j of this lane exists.
  __device__ __forceinline__ bool has(int j, int residue) const { return j * warp_size + lane_ < residue; }

  /// The last steps of k one by one, the lanes' being neighbours.
  __device__ __forceinline__ void load_residue(float4 (&w)[WIDE_ROWS], float4 (&x)[NX], int residue) {
    const int back = lane_ * (WIDTH - 1);
    const float* row = w_ - back;
#pragma unroll
    for (int r = 0; r < WIDE_ROWS; ++r) {
      const bool exists = r < rows_;
      const auto at = [&](int j) { return exists && has(j, residue) ? row[j * warp_size] : 0.0f; };
      w[r] = make_float4(at(0), at(1), at(2), at(3));
      row += ldw_;
    }
    const float* line = x_ - back * x_k_;
#pragma unroll
    for (int l = 0; l < NX; ++l) {
      const auto at = [&](int j) { return has(j, residue) ? line[j * warp_size * x_k_] : 0.0f; };
      x[l] = make_float4(at(0), at(1), at(2), at(3));
      if (l + 1 < lines_) line += x_line_;
    }
  }

  static __device__ __forceinline__ float element(const float4 (&w)[WIDE_ROWS], int row, int j) {
    return component(w[row], j);
  }

 private:
  static constexpr int WIDTH = QUADS ? vec : 1;

  std::int64_t ldw_;
  std::int64_t x_line_;
  std::int64_t x_k_;
  int rows_;
  int lines_;
  int lane_;
  const float* w_;
  const float* x_;
};

/// Adds up SUMS sums over the lanes: a lane gives half of its own to the lane that it meets and takes the other half.
/// Sum i ends in sums[0] of the lanes from i * 32 / SUMS on.
template <int SUMS, int MASK = warp_size / 2>
__device__ __forceinline__ void add_lanes(float* sums, int lane) {
  constexpr int HALF = SUMS / 2;
  if constexpr (HALF == 0) {
    sums[0] += shuffle_xor(sums[0], MASK);
  } else {
    const bool upper = (lane & MASK) != 0;
#pragma unroll
    for (int i = 0; i < HALF; ++i) {
      const float kept = upper ? sums[i + HALF] : sums[i];
      const float given = upper ? sums[i] : sums[i + HALF];
      sums[i] = kept + shuffle_xor(given, MASK);
    }
  }
  if constexpr (MASK > 1) add_lanes<(HALF > 0 ? HALF : 1), MASK / 2>(sums, lane);
}

}  // namespace ladder::LADDER_DEVICE
