// SPDX-License-Identifier: MIT
// What one warp of a sliced-K block does: it computes the whole block tile for its own slice of k, out of a ring of
// stages that no other warp looks into.
#pragma once

#include "outer_step.cuh"
#include "pipeline_feed.cuh"

namespace ladder::LADDER_DEVICE {

/// The same value, that the compiler neither computes again nor sees through.
template <class Value>
__device__ __forceinline__ Value held(Value value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Value) == sizeof(std::uint64_t)) {
    asm volatile("" : "+l"(value));
  } else {
    asm volatile("" : "+r"(value));
  }
#endif
  return value;
}

/// Floats between two rows of a stage beyond its width, at most.
inline constexpr int slice_skew = 4;

/// Floats from one row of a stage, a step of k and `extent` wide, to the next: skewed where the copies transpose, so
/// that they meet 32 different banks. Whole rows that are copied as they are start where a line of shared memory does.
constexpr int slice_row(Feed feed, int extent) { return extent + (feed == Feed::element_k ? slice_skew : 0); }

/// Each of WARPS warps computes BM x BN for its slice of k, TM x TN a lane, with STAGES of BK steps in flight. RESIDENT
/// blocks share a multiprocessor: the registers are held to that.
template <int BM_, int BN_, int TM_, int TN_, int WARPS_, int STAGES_, int RESIDENT_>
struct SlicedTile {
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int BK = 16;
  static constexpr int TM = TM_;
  static constexpr int TN = TN_;
  static constexpr int WARPS = WARPS_;
  static constexpr int STAGES = STAGES_;
  static constexpr int RESIDENT = RESIDENT_;
  static constexpr int THREADS = WARPS * warp_size;
  static constexpr int LANES_M = BM / TM;
  static constexpr int LANES_N = BN / TN;
  static constexpr int STAGE_FLOATS = (BM + BN + 2 * slice_skew) * BK;
  static constexpr TileExtents extents{BM, BN, BK, STAGES};

  static_assert(LANES_M * LANES_N == warp_size, "the tile holds one thread tile a lane");
  static_assert(TM % vec == 0 && TN % vec == 0, "a lane's rows and columns are read as quads");
  static_assert(LANES_M % 4 == 0 && LANES_N % 4 == 0, "what the lanes' places and the parts' permutation count on");
  static_assert(BM * BN <= STAGES * STAGE_FLOATS, "a warp's sums take the place of its ring");
};

/// Rows 4 m_quad to 4 m_quad + 3 of column n of a warp's sums. The quads of a column are permuted, so that neither
/// SliceSums::store() nor a read along m meets a bank twice.
template <class Tile>
__device__ __forceinline__ float* quad_of_sums(float* part, int m_quad, int n) {
  return part + (n * (Tile::BM / vec) + (m_quad ^ n / vec % 2 * 4)) * vec;
}

/// Four sums that SliceSums::store() wrote.
__device__ __forceinline__ float4 read_sums(const float* quad) {
  const float4 sums = *reinterpret_cast<const float4*>(quad);
  return make_float4(sums.y, sums.x, sums.w, sums.z);
}

/// A lane's TM x TN sums over its warp's slice: quads of rows LANES_M quads apart, quads of columns LANES_N quads
/// apart.
template <class Tile, Feed FEED_A, Feed FEED_B>
class SliceSums {
 public:
  // Lanes next to each other read one quad of A, lanes two apart one quad of B: each 128-bit read of the warp is two
  // wavefronts rather than four.
  __device__ __forceinline__ explicit SliceSums(int lane)
      : lane_m_(lane / 2 % 4 + (Tile::LANES_M == 4 ? 0 : lane / 16 * 4)),
        lane_n_(lane % 2 + (Tile::LANES_N == 4 ? lane / 8 % 2 : lane / 8) * 2),
        first_a_(held(lane_m_ * vec)),
        first_b_(held(ROW_A * Tile::BK + lane_n_ * vec)) {}

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) sum_[j][i] = 0.0f;
    }
  }

  /// Adds the first `steps` steps of a stage. The next step's fragments are on their way while one is added.
  __device__ __forceinline__ void add_steps(const float* stage, int steps) {
    const float* a = stage + first_a_;
    const float* b = stage + first_b_;
    load_fragments(0, a, b);
    int left = steps;
#pragma unroll 1
    for (; left >= vec; left -= vec) {
#pragma unroll
      for (int step = 0; step < vec; ++step) {
        // What follows the last step of the stage is read and not used.
        const int next = step + 1 < vec || left > vec ? step + 1 : 0;
        load_fragments((step + 1) % 2, a + next * ROW_A, b + next * ROW_B);
        accumulate(step % 2);
      }
      a += vec * ROW_A;
      b += vec * ROW_B;
    }
#pragma unroll 1
    for (; left > 0; --left) {
      load_fragments(0, a, b);
      accumulate(0);
      a += ROW_A;
      b += ROW_B;
    }
  }

  /// Writes the sums where quad_of_sums() says, for read_sums(). A 128-bit access binds a quad's sums to an even
  /// register and its three neighbours; with the sums of odd rows in the even ones, a sum and its row of A come from
  /// different banks of the register file.
  __device__ __forceinline__ void store(float* part) const {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
      const int n = lane_n_ * vec + j / vec * vec * Tile::LANES_N + j % vec;
#pragma unroll
      for (int i = 0; i < Tile::TM; i += vec) {
        const float* s = &sum_[j][i];
        *reinterpret_cast<float4*>(quad_of_sums<Tile>(part, lane_m_ + i / vec * Tile::LANES_M, n)) =
            make_float4(s[1], s[0], s[3], s[2]);
      }
    }
  }

 private:
  static constexpr int ROW_A = slice_row(FEED_A, Tile::BM);
  static constexpr int ROW_B = slice_row(FEED_B, Tile::BN);

  __device__ __forceinline__ void load_fragments(int buffer, const float* row_a, const float* row_b) {
    load_quads<Tile::TM, Tile::LANES_M>(a_frag_[buffer], row_a);
    load_quads<Tile::TN, Tile::LANES_N>(b_frag_[buffer], row_b);
  }

  template <int COUNT, int LANES>
  static __device__ __forceinline__ void load_quads(float (&fragment)[COUNT], const float* row) {
#pragma unroll
    for (int i = 0; i < COUNT; i += vec) {
      const float4 quad = *reinterpret_cast<const float4*>(row + i * LANES);
      fragment[i] = quad.x, fragment[i + 1] = quad.y, fragment[i + 2] = quad.z, fragment[i + 3] = quad.w;
    }
  }

  __device__ __forceinline__ void accumulate(int buffer) { add_outer_product(sum_, a_frag_[buffer], b_frag_[buffer]); }

  int lane_m_;
  int lane_n_;
  int first_a_;  // this lane's first quads in a stage
  int first_b_;
  float sum_[Tile::TN][Tile::TM];
  float a_frag_[2][Tile::TM];
  float b_frag_[2][Tile::TN];
};

}  // namespace ladder::LADDER_DEVICE
