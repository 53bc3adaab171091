// SPDX-License-Identifier: MIT
// How a tile of an operand travels to shared memory without waiting: the producer half of a pipelined rung.
#pragma once

#include <type_traits>

#include "operand.cuh"

namespace ladder::LADDER_DEVICE {

/// How one operand is copied. The tile in shared memory is [BK][BMN + SKEW] whatever the layout in memory, or else
/// k-major, as KMajorPanel has it.
enum class Feed {
  vector_mn,   ///< contiguous along m (n), 16-byte aligned: 16-byte copies
  element_mn,  ///< contiguous along m (n), unaligned: 4-byte copies, a warp along m (n)
  element_k,   ///< contiguous along k: 4-byte copies that transpose on the way
  vector_k,    ///< contiguous along k, 16-byte aligned: 16-byte copies into a k-major tile
  kept_k,      ///< contiguous along k, unaligned: 4-byte copies into a k-major tile
};

/// A k-major tile in shared memory: BMN lines of BK floats, after every fourth of which 16 bytes are left out. Lanes
/// that read one k of lines four apart then meet different banks.
template <int BMN, int BK>
struct KMajorPanel {
  static constexpr int GROUP = 4;
  static constexpr int GROUP_FLOATS = GROUP * BK + vec;
  static_assert(BMN % GROUP == 0 && BK % vec == 0, "groups and lines are whole");

  static __device__ __forceinline__ int place(int mn, int k) { return mn * BK + mn / GROUP * vec + k; }

  float group[BMN / GROUP][GROUP_FLOATS];
};

/// Which of them suits an operand; `mn_major`: it is contiguous along m (n) in memory.
__host__ __device__ inline Feed feed_of(bool mn_major, bool quads) {
  if (!mn_major) return Feed::element_k;
  return quads ? Feed::vector_mn : Feed::element_mn;
}

/// One that suits every product of a batch, as far as the host knows.
__host__ __device__ inline Feed feed_of_every_a(const GemmProduct& first, const BatchLayout& layout) {
  return feed_of(first.op_a == Op::none, quads_in_batch(layout, first.a, first.lda, layout.stride_a));
}
__host__ __device__ inline Feed feed_of_every_b(const GemmProduct& first, const BatchLayout& layout) {
  return feed_of(first.op_b == Op::transpose, quads_in_batch(layout, first.b, first.ldb, layout.stride_b));
}

/// Calls body(feed) with an integral constant of `feed`, on the host or in a kernel.
template <class Body>
__host__ __device__ __forceinline__ auto with_feed(Feed feed, const Body& body) {
  if (feed == Feed::vector_mn) return body(std::integral_constant<Feed, Feed::vector_mn>{});
  if (feed == Feed::element_mn) return body(std::integral_constant<Feed, Feed::element_mn>{});
  return body(std::integral_constant<Feed, Feed::element_k>{});
}

/// Copies slabs of BK steps of k of one panel, one after the other; `thread` of THREADS takes its share.
///
/// Elements outside the matrix are not read; what stands in their place is discarded in the epilogue, and the mainloop
/// stops at the last real k.
template <Feed FEED, int BMN, int BK, int SKEW, int THREADS>
class TileFeed {
 public:
  /// `operand`, `ld`: A (or B) as stored; the tile starts at row (column) mn0 of `mn_extent`, its first slab at k0.
  __device__ __forceinline__ TileFeed(const float* operand, std::int64_t ld, std::int64_t mn0, std::int64_t mn_extent,
                                      std::int64_t k0, int thread)
      : mn_(first_mn(thread)),
        k_(first_k(thread)),
        ld_(ld),
        mn_left_(panel_extent(mn_extent - mn0) - mn_),
        whole_(mn_extent - mn0 >= BMN) {
    const std::int64_t mn = mn0 + mn_;
    const std::int64_t k = k0 + k_;
    next_ = operand + (ALONG_K ? mn * ld + k : mn + k * ld);
  }

  /// Issues the copies of the next slab, of which k_left steps of k exist, into `tile`.
  __device__ __forceinline__ void issue(float* tile, int k_left) {
    const CopyTarget target = CopyTarget(tile) + (K_MAJOR ? KMajorPanel<BMN, BK>::place(mn_, k_) : k_ * ROW + mn_);
    const int lines = lines_inside(k_left);
    const int left = ALONG_K ? k_left - k_ : mn_left_;
    if (whole_ && k_left >= BK) {
      issue_lines<false>(target, lines, left);
    } else {
      issue_lines<true>(target, lines, left);
    }
    next_ += ALONG_K ? BK : BK * ld_;
  }

 private:
  static constexpr bool K_MAJOR = FEED == Feed::vector_k || FEED == Feed::kept_k;  // in shared memory
  static constexpr bool ALONG_K = FEED == Feed::element_k || K_MAJOR;              // in memory
  static constexpr int ROW = BMN + SKEW;
  static constexpr int WARPS = THREADS / warp_size;
  static constexpr int WIDTH = FEED == Feed::vector_mn || FEED == Feed::vector_k ? vec : 1;
  // A thread's copies form lines in memory. From line to line the address moves by a multiple of ld, which costs
  // instructions; within a line it moves by a constant, which costs none.
  // Along k a line is a thread's share of one row's (column's) k. element_k: eight lanes fill a 32-byte sector, four go
  // along m (n). With SKEW = 4 their stores meet 32 different banks. Into a k-major tile: the lanes next to each other.
  // Otherwise a line is a thread's share of one k, the lanes next to each other.
  static constexpr int K_LANES = FEED == Feed::element_k ? 8 : BK < warp_size * WIDTH ? BK / WIDTH : warp_size;
  static constexpr int MN_LANES = ALONG_K ? warp_size / K_LANES : BMN < warp_size * WIDTH ? BMN / WIDTH : warp_size;
  static constexpr int SPAN = ALONG_K ? K_LANES * WIDTH : MN_LANES * WIDTH;
  static constexpr int COPIES_PER_LINE = (ALONG_K ? BK : BMN) / SPAN;
  static constexpr int STEP = WARPS * (ALONG_K ? MN_LANES : warp_size / MN_LANES);
  static constexpr int LINES = (ALONG_K ? BMN : BK) / STEP;
  static constexpr int LINE_STEP = K_MAJOR ? STEP * BK + STEP : ALONG_K ? STEP : STEP * ROW;  // in shared memory
  static_assert(COPIES_PER_LINE * LINES * WIDTH * THREADS == BMN * BK, "every thread makes the same number of copies");
  static_assert(!K_MAJOR || STEP % KMajorPanel<BMN, BK>::GROUP == 0, "lines of a thread lie alike in their groups");

  static __device__ __forceinline__ int first_mn(int thread) {
    if constexpr (ALONG_K) return thread / K_LANES;
    return thread % MN_LANES * WIDTH;
  }

  static __device__ __forceinline__ int first_k(int thread) {
    if constexpr (ALONG_K) return thread % K_LANES * WIDTH;
    return thread / MN_LANES;
  }

  // How many of this thread's lines lie inside the matrix: they step along m (n), or else along k.
  __device__ __forceinline__ int lines_inside(int k_left) const {
    return (ALONG_K ? mn_left_ + STEP - 1 : k_left - k_ + STEP - 1) / STEP;
  }

  // Away from the edges a copy costs little more than one instruction: the producers get only those issue slots that
  // the consumers leave. `left`: how far the line goes on from this thread's first element; 0: nothing of it is wanted.
  template <bool EDGE>
  __device__ __forceinline__ void issue_line(int left, CopyTarget target, const float* line) const {
#pragma unroll
    for (int j = 0; j < COPIES_PER_LINE; ++j) {
      const CopyTarget to = target + j * SPAN * (FEED == Feed::element_k ? ROW : 1);
      const float* from = line + j * SPAN;
      const int rest = left - j * SPAN;
      if constexpr (WIDTH == vec) {
        const int floats = !EDGE ? vec : (rest < 0 ? 0 : (rest < vec ? rest : vec));
        async_copy_some(to, from, floats * int{sizeof(float)});
      } else {
        async_copy_if(!EDGE || rest > 0, to, from);
      }
    }
  }

  // A few lines at a time: all of them at once would ask for more registers than producers have.
  template <bool EDGE>
  __device__ __forceinline__ void issue_lines(CopyTarget target, int lines, int left) const {
    const float* line = next_;
#pragma unroll 4
    for (int i = 0; i < LINES; ++i) {
      issue_line<EDGE>(i < lines ? left : 0, target, line);
      target = target + LINE_STEP;
      line += STEP * ld_;
    }
  }

  int mn_;
  int k_;
  std::int64_t ld_;
  int mn_left_;  // from this thread's first element on
  bool whole_;   // the tile is inside the matrix
  const float* next_;
};

}  // namespace ladder::LADDER_DEVICE
