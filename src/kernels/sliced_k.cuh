// SPDX-License-Identifier: MIT
// What one warp of a sliced-K block does: it computes the whole block tile for its own slice of k, out of a ring of
// stages that no other warp looks into.
#pragma once

#include "operand.cuh"

namespace ladder::LADDER_DEVICE {

/// Each of WARPS warps computes BM x BN for its slice of k, TM x TN a lane, with STAGES of BK steps in flight. RESIDENT
/// blocks share a multiprocessor: the registers are held to that.
template <int BM_, int BN_, int TM_, int TN_, int WARPS_, int STAGES_, int RESIDENT_>
struct SlicedTile {
  static constexpr int BM = BM_;
  static constexpr int BN = BN_;
  static constexpr int BK = 16;  // a k-major line of a stage is two 32-byte sectors, 16 lanes of single floats
  static constexpr int TM = TM_;
  static constexpr int TN = TN_;
  static constexpr int WARPS = WARPS_;
  static constexpr int STAGES = STAGES_;
  static constexpr int RESIDENT = RESIDENT_;
  static constexpr int THREADS = WARPS * warp_size;
  static constexpr int LANES_M = BM / TM;
  static constexpr int LANES_N = BN / TN;
  static constexpr int STAGE_FLOATS = (BM + BN) * BK;
  static constexpr TileExtents extents{BM, BN, BK, STAGES};

  static_assert(LANES_M * LANES_N == warp_size, "the tile holds one thread tile a lane");
  static_assert(TM % vec == 0 && TN % vec == 0, "a lane's rows and columns are read as quads");
  static_assert(LANES_M % 4 == 0 && LANES_N % 4 == 0 && LANES_N <= 8, "what the permutations of quads count on");
  static_assert(BM * BN <= STAGES * STAGE_FLOATS, "a warp's sums take the place of its ring");
};

/// One operand's share of a stage. Its lines lie as in memory: BK of BMN floats, or BMN of BK whose quads are permuted
/// so that one quad of eight lines in a row, or of every fourth or eighth line from them, meets 32 different banks.
template <Major MAJOR, int BMN, int BK>
struct StagedOperand {
  static constexpr int LINE = MAJOR == Major::mn ? BMN : BK;
  static constexpr int LINES = MAJOR == Major::mn ? BK : BMN;
  static constexpr int QUAD_MASK = BK / vec - 1;
  static constexpr int PERIOD = MAJOR == Major::mn ? 1 : 2 * (QUAD_MASK + 1);  // lines after which quads lie alike

  /// Index of element `along` of line `line`.
  static __device__ __forceinline__ int place(int line, int along) {
    if constexpr (MAJOR == Major::mn) return line * LINE + along;
    return line * LINE + ((along / vec ^ line / 2) & QUAD_MASK) * vec + along % vec;
  }

  static __device__ __forceinline__ int place_of(int mn, int k) {
    return MAJOR == Major::mn ? place(k, mn) : place(mn, k);
  }

  /// Row (column) of a lane's result i, of LANES lanes along m (n).
  template <int LANES>
  static __device__ __forceinline__ int position(int lane, int i) {
    return MAJOR == Major::mn ? lane * vec + i / vec * vec * LANES + i % vec : lane + i * LANES;
  }

  /// A lane's results first to first + 3, steps k to k + 3: fragment[step][i]. Both are multiples of 4.
  template <int LANES>
  static __device__ __forceinline__ void load_block(float (&fragment)[vec][vec], const float* stage, int lane,
                                                    int first, int k) {
#pragma unroll
    for (int i = 0; i < vec; ++i) {
      if constexpr (MAJOR == Major::mn) {
        const float4 quad = *reinterpret_cast<const float4*>(stage + (k + i) * LINE + lane * vec + first * LANES);
        fragment[i][0] = quad.x, fragment[i][1] = quad.y, fragment[i][2] = quad.z, fragment[i][3] = quad.w;
      } else {
        // place(), with the lane's part of the permutation apart from the part that is known at compile time.
        const int quad_along = (k / vec ^ lane / 2 ^ (first + i) * LANES / 2) & QUAD_MASK;
        const float4 quad =
            *reinterpret_cast<const float4*>(stage + lane * LINE + quad_along * vec + (first + i) * LANES * LINE);
        fragment[0][i] = quad.x, fragment[1][i] = quad.y, fragment[2][i] = quad.z, fragment[3][i] = quad.w;
      }
    }
  }
};

/// One warp's copies of one operand, BK steps of k after the other.
///
/// Elements outside the matrix are not read: what they would feed is discarded in the epilogue, and the sums stop at
/// the last real k.
template <Major MAJOR, int BMN, int BK>
class SliceFeed {
 public:
  /// The slice starts at row (column) mn0, of which mn_left are left, and step k0. in_quads: 16-byte copies are
  /// possible, none of them partly outside.
  __device__ __forceinline__ SliceFeed(const float* operand, std::int64_t ld, std::int64_t mn0, std::int64_t k0,
                                       int mn_left, bool in_quads, int lane)
      : along_(in_quads ? lane % lanes<vec>() * vec : lane % lanes<1>()),
        line_(in_quads ? lane / lanes<vec>() : lane / lanes<1>()),
        mn_left_(mn_left),
        in_quads_(in_quads),
        ld_(ld) {
    next_ = operand + (MAJOR == Major::mn ? mn0 + along_ + (k0 + line_) * ld : k0 + along_ + (mn0 + line_) * ld);
  }

  /// Issues the copies of the next `steps` steps, at most BK.
  __device__ __forceinline__ void issue(float* stage, int steps) {
    if (in_quads_) {
      copy<vec>(stage, steps);
    } else {
      copy<1>(stage, steps);
    }
    next_ += MAJOR == Major::mn ? BK * ld_ : BK;
  }

 private:
  using Staged = StagedOperand<MAJOR, BMN, BK>;

  /// Lanes along a line, with WIDTH floats each.
  template <int WIDTH>
  static __device__ __forceinline__ constexpr int lanes() {
    return Staged::LINE / WIDTH < warp_size ? Staged::LINE / WIDTH : warp_size;
  }

  template <int WIDTH>
  __device__ __forceinline__ void copy(float* stage, int steps) const {
    constexpr int LINES_AT_ONCE = warp_size / lanes<WIDTH>();
    constexpr int COPIES = Staged::LINES / LINES_AT_ONCE;
    constexpr int SPAN = lanes<WIDTH>() * WIDTH;
#pragma unroll
    for (int span = 0; span < Staged::LINE; span += SPAN) {
      const int along = along_ + span;
      const bool inside = along < (MAJOR == Major::mn ? mn_left_ : steps);
      const int lines = inside ? (MAJOR == Major::mn ? steps : mn_left_) - line_ : 0;
      const float* from = next_ + span;
      float* first = stage + Staged::place(line_, along);
#pragma unroll(COPIES < 8 ? COPIES : 4)
      for (int i = 0; i < COPIES; ++i) {
        float* to = LINES_AT_ONCE % Staged::PERIOD == 0 ? first + i * LINES_AT_ONCE * Staged::LINE
                                                        : stage + Staged::place(line_ + i * LINES_AT_ONCE, along);
        if (i * LINES_AT_ONCE < lines) async_copy<WIDTH* int{sizeof(float)}>(to, from);
        from += LINES_AT_ONCE * ld_;
      }
    }
  }

  int along_;  // this lane's first element of a line
  int line_;
  int mn_left_;
  bool in_quads_;
  std::int64_t ld_;
  const float* next_;
};

/// A lane's TM x TN sums over its warp's slice.
template <class Tile, Major A_MAJOR, Major B_MAJOR>
class SliceSums {
 public:
  __device__ __forceinline__ explicit SliceSums(int lane)
      : lane_m_(lane / Tile::LANES_N), lane_n_(lane % Tile::LANES_N) {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
      for (int i = 0; i < Tile::TM; ++i) sum_[j][i] = 0.0f;
    }
  }

  /// Adds the first `steps` steps of a stage.
  __device__ __forceinline__ void add_steps(const float* stage, int steps) {
    const float* a = stage;
    const float* b = stage + Tile::BM * Tile::BK;
    int k = 0;
#pragma unroll 1
    for (; k + vec <= steps; k += vec) add_four_steps(a, b, k);
#pragma unroll 1
    for (; k < steps; ++k) add_step(a, b, k);
  }

  /// Writes the sums where part_quad() looks for them.
  __device__ __forceinline__ void store(float* part) const {
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
      const int n = StagedB::template position<Tile::LANES_N>(lane_n_, j);
#pragma unroll
      for (int i = 0; i < Tile::TM; i += vec) {
        if constexpr (A_MAJOR == Major::mn) {
          const float* s = &sum_[j][i];
          *part_quad(part, lane_m_ + i / vec * Tile::LANES_M, n) = make_float4(s[0], s[1], s[2], s[3]);
        } else {
#pragma unroll
          for (int row = i; row < i + vec; ++row) {
            const int m = StagedA::template position<Tile::LANES_M>(lane_m_, row);
            reinterpret_cast<float*>(part_quad(part, m / vec, n))[m % vec] = sum_[j][row];
          }
        }
      }
    }
  }

  /// Rows 4 m_quad to 4 m_quad + 3 of column n of a warp's sums. The quads of a column are permuted by what its lane is
  /// along n, so that neither store() nor a read along m meets a bank twice.
  static __device__ __forceinline__ float4* part_quad(float* part, int m_quad, int n) {
    constexpr int SPREAD = 8 / Tile::LANES_N;
    const int lane_n = (B_MAJOR == Major::mn ? n / vec : n) % Tile::LANES_N;
    return reinterpret_cast<float4*>(part) + n * (Tile::BM / vec) + (m_quad ^ lane_n * SPREAD);
  }

 private:
  using StagedA = StagedOperand<A_MAJOR, Tile::BM, Tile::BK>;
  using StagedB = StagedOperand<B_MAJOR, Tile::BN, Tile::BK>;

  __device__ __forceinline__ void add_four_steps(const float* a, const float* b, int k) {
    float b_frag[Tile::TN / vec][vec][vec];
#pragma unroll
    for (int j = 0; j < Tile::TN; j += vec) {
      StagedB::template load_block<Tile::LANES_N>(b_frag[j / vec], b, lane_n_, j, k);
    }
#pragma unroll
    for (int first = 0; first < Tile::TM; first += vec) {
      float a_frag[vec][vec];
      StagedA::template load_block<Tile::LANES_M>(a_frag, a, lane_m_, first, k);
#pragma unroll
      for (int step = 0; step < vec; ++step) {
#pragma unroll
        for (int j = 0; j < Tile::TN; ++j) {
#pragma unroll
          for (int i = 0; i < vec; ++i) {
            float& sum = sum_[j][first + i];
            sum = __fmaf_rn(a_frag[step][i], b_frag[j / vec][step][j % vec], sum);
          }
        }
      }
    }
  }

  __device__ __forceinline__ void add_step(const float* a, const float* b, int k) {
    float b_frag[Tile::TN];
#pragma unroll
    for (int j = 0; j < Tile::TN; ++j) {
      b_frag[j] = b[StagedB::place_of(StagedB::template position<Tile::LANES_N>(lane_n_, j), k)];
    }
#pragma unroll
    for (int i = 0; i < Tile::TM; ++i) {
      const float a_frag = a[StagedA::place_of(StagedA::template position<Tile::LANES_M>(lane_m_, i), k)];
#pragma unroll
      for (int j = 0; j < Tile::TN; ++j) sum_[j][i] = __fmaf_rn(a_frag, b_frag[j], sum_[j][i]);
    }
  }

  int lane_m_;
  int lane_n_;
  float sum_[Tile::TN][Tile::TM];
};

}  // namespace ladder::LADDER_DEVICE
