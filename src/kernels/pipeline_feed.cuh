// SPDX-License-Identifier: MIT
// How a tile of an operand travels to shared memory without waiting: the producer half of a pipelined rung.
#pragma once

#include <type_traits>

#include "operand.cuh"

namespace ladder::LADDER_DEVICE {

/// How one operand is copied. Whatever its layout in memory, the tile in shared memory is [BK][BMN + SKEW].
enum class Feed {
  vector_mn,   ///< contiguous along m (n), 16-byte aligned: 16-byte copies
  element_mn,  ///< contiguous along m (n), unaligned: 4-byte copies, a warp along m (n)
  element_k,   ///< contiguous along k: 4-byte copies that transpose on the way
};

/// Which of them suits an operand; `mn_major`: it is contiguous along m (n) in memory. `stride`: to the next of a
/// batch.
__host__ __device__ inline Feed feed_of(bool mn_major, const float* data, std::int64_t ld, std::int64_t stride) {
  if (!mn_major) return Feed::element_k;
  return quads_aligned(data, ld) && stride % vec == 0 ? Feed::vector_mn : Feed::element_mn;
}

/// One that suits every product of a batch.
__host__ __device__ inline Feed feed_of_every_a(const GemmProduct& first, const BatchLayout& layout) {
  return feed_of(first.op_a == Op::none, first.a, first.lda, layout.batch > 1 ? layout.stride_a : 0);
}
__host__ __device__ inline Feed feed_of_every_b(const GemmProduct& first, const BatchLayout& layout) {
  return feed_of(first.op_b == Op::transpose, first.b, first.ldb, layout.batch > 1 ? layout.stride_b : 0);
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
    next_ = operand + (FEED == Feed::element_k ? mn * ld + k : mn + k * ld);
  }

  /// Issues the copies of the next slab, of which k_left steps of k exist, into `tile`.
  __device__ __forceinline__ void issue(float* tile, int k_left) {
    const CopyTarget target = CopyTarget(tile) + (k_ * ROW + mn_);
    const int lines = lines_inside(k_left);
    if (ld_ > UINT32_MAX) {
      issue_far(target, lines);
    } else if (lines >= LINES && whole_) {
      issue_near<false>(target, lines);
    } else {
      issue_near<true>(target, lines);
    }
    next_ += FEED == Feed::element_k ? BK : BK * ld_;
  }

 private:
  static constexpr int ROW = BMN + SKEW;
  static constexpr int WARPS = THREADS / warp_size;
  static constexpr int WIDTH = FEED == Feed::vector_mn ? vec : 1;
  // element_k: eight lanes along k fill a 32-byte sector, four along m (n); with SKEW = 4 their stores
  // meet 32 different banks.
  static constexpr int K_LANES = 8;
  static constexpr int MN_LANES = warp_size / K_LANES;
  static constexpr int WARPS_ALONG_K = BK / K_LANES;
  static constexpr int COPIES = BMN * BK / WIDTH / THREADS;
  // A thread's copies form LINES lines of COPIES_PER_LINE. From line to line the address in memory moves by a
  // multiple of ld, which costs an instruction; within a line it moves by a constant, which costs none.
  static constexpr int SPAN = THREADS * WIDTH;
  static constexpr int COPIES_PER_LINE = FEED != Feed::element_k && SPAN < BMN ? BMN / SPAN : 1;
  static constexpr int LINES = COPIES / COPIES_PER_LINE;
  static constexpr int MN_STEP = FEED == Feed::element_k ? WARPS / WARPS_ALONG_K * MN_LANES : 0;
  static constexpr int K_STEP = FEED == Feed::element_k ? 0 : (SPAN < BMN ? 1 : SPAN / BMN);
  static constexpr int LDS_PER_LINE = FEED == Feed::element_k ? MN_STEP : K_STEP;
  static_assert(COPIES * SPAN == BMN * BK, "every thread makes the same number of copies");
  static_assert(SPAN % BMN == 0 || BMN % SPAN == 0, "the threads' copies tile the rows of the slab");
  static_assert(FEED != Feed::element_k || (BK % K_LANES == 0 && WARPS % WARPS_ALONG_K == 0),
                "the warps share the slab evenly along k");

  static __device__ __forceinline__ int first_mn(int thread) {
    if constexpr (FEED == Feed::element_k) {
      return thread % warp_size / K_LANES + thread / warp_size / WARPS_ALONG_K * MN_LANES;
    } else {
      return thread * WIDTH % BMN;
    }
  }

  static __device__ __forceinline__ int first_k(int thread) {
    if constexpr (FEED == Feed::element_k) {
      return thread % K_LANES + thread / warp_size % WARPS_ALONG_K * K_LANES;
    } else {
      return thread * WIDTH / BMN;
    }
  }

  // How many of this thread's lines lie inside the matrix: they step along m (n) in element_k, along k elsewhere.
  __device__ __forceinline__ int lines_inside(int k_left) const {
    if constexpr (FEED == Feed::element_k) {
      return k_ < k_left ? (mn_left_ + MN_STEP - 1) / MN_STEP : 0;
    } else {
      return (k_left - k_ + K_STEP - 1) / K_STEP;
    }
  }

  // Away from the edges a copy is two instructions, its address and itself: the producers get only those issue slots
  // that the consumers leave.
  template <bool EDGE>
  __device__ __forceinline__ void issue_line(bool inside, CopyTarget target, const float* line) const {
#pragma unroll
    for (int j = 0; j < COPIES_PER_LINE; ++j) {
      const CopyTarget to = target + j * SPAN;
      const float* from = line + j * SPAN;
      const int left = inside ? mn_left_ - j * SPAN : 0;
      if constexpr (FEED == Feed::vector_mn) {
        const int floats = !EDGE ? vec : (left < 0 ? 0 : (left < vec ? left : vec));
        async_copy_some(to, from, floats * int{sizeof(float)});
      } else {
        async_copy_if(!EDGE || (FEED == Feed::element_mn ? left > 0 : inside), to, from);
      }
    }
  }

  // ld as 32 bits: each address is then one multiply-add from the first.
  template <bool EDGE>
  __device__ __forceinline__ void issue_near(CopyTarget target, int lines) const {
    const auto ld = static_cast<std::uint32_t>(ld_);
#pragma unroll
    for (int i = 0; i < LINES; ++i) {
      const float* line = next_ + std::uint64_t{ld} * static_cast<std::uint32_t>(i * LDS_PER_LINE);
      issue_line<EDGE>(i < lines, target + i * (K_STEP * ROW + MN_STEP), line);
    }
  }

  __device__ __forceinline__ void issue_far(CopyTarget target, int lines) const {
#pragma unroll 1
    for (int i = 0; i < LINES && i < lines; ++i) {
      issue_line<true>(true, target + i * (K_STEP * ROW + MN_STEP), next_ + i * LDS_PER_LINE * ld_);
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
