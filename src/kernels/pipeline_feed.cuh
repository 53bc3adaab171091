// SPDX-License-Identifier: MIT
// How a tile of an operand travels to shared memory without waiting: the producer half of a pipelined rung.
#pragma once

#include <type_traits>

#include "device.cuh"

namespace ladder::LADDER_DEVICE {

/// How one operand is copied. Whatever its layout in memory, the tile in shared memory is [BK][BMN + SKEW].
enum class Feed {
  vector_mn,   ///< contiguous along m (n), 16-byte aligned: 16-byte copies
  element_mn,  ///< contiguous along m (n), unaligned: 4-byte copies, a warp along m (n)
  element_k,   ///< contiguous along k: 4-byte copies that transpose on the way
};

/// Which of them suits an operand; `mn_major`: it is contiguous along m (n) in memory.
__host__ __device__ inline Feed feed_of(bool mn_major, const float* data, std::int64_t ld) {
  if (!mn_major) return Feed::element_k;
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % sizeof(float4) == 0 && ld % vec == 0;
  return aligned ? Feed::vector_mn : Feed::element_mn;
}

__host__ __device__ inline Feed feed_of_a(const GemmProblem& p) { return feed_of(p.op_a == Op::none, p.a, p.lda); }
__host__ __device__ inline Feed feed_of_b(const GemmProblem& p) { return feed_of(p.op_b == Op::transpose, p.b, p.ldb); }

/// Calls body(feed) with an integral constant of `feed`, on the host or in a kernel.
template <class Body>
__host__ __device__ __forceinline__ auto with_feed(Feed feed, const Body& body) {
  if (feed == Feed::vector_mn) return body(std::integral_constant<Feed, Feed::vector_mn>{});
  if (feed == Feed::element_mn) return body(std::integral_constant<Feed, Feed::element_mn>{});
  return body(std::integral_constant<Feed, Feed::element_k>{});
}

/// Copies slabs of BK steps of k of one panel, one after the other; `thread` of THREADS takes its share.
///
/// Elements outside the matrix are not copied: what they would feed is discarded in the epilogue, and the
/// mainloop stops at the last real k.
template <Feed FEED, int BMN, int BK, int SKEW, int THREADS>
class TileFeed {
 public:
  /// `operand`, `ld`: A (or B) as stored; the tile starts at row (column) mn0 of `mn_extent`.
  __device__ __forceinline__ TileFeed(const float* operand, std::int64_t ld, std::int64_t mn0, std::int64_t mn_extent,
                                      int thread)
      : mn_(first_mn(thread)), k_(first_k(thread)), ld_(ld), mn_left_(mn_extent - mn0) {
    const std::int64_t mn = mn0 + mn_;
    next_ = operand + (FEED == Feed::element_k ? mn * ld + k_ : mn + k_ * ld);
  }

  /// Issues the copies of the next slab, of which k_left steps of k exist, into `tile`.
  __device__ __forceinline__ void issue(float* tile, std::int64_t k_left) {
    float* target = tile + k_ * ROW + mn_;
    if (mn_left_ >= BMN && k_left >= BK) {
      issue_all(target);
    } else {
      issue_inside(target, k_left);
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
  // Copy i of a thread lies MN_STEP further along m (n) than copy i - 1, and after COPIES_PER_ROW of them
  // K_STEP further along k.
  static constexpr int SPAN = THREADS * WIDTH;
  static constexpr int COPIES_PER_ROW = FEED == Feed::element_k ? COPIES : (SPAN < BMN ? BMN / SPAN : 1);
  static constexpr int MN_STEP = FEED == Feed::element_k ? WARPS / WARPS_ALONG_K * MN_LANES : SPAN;
  static constexpr int K_STEP = SPAN < BMN ? 1 : SPAN / BMN;
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

  static constexpr __device__ int mn_offset(int copy) { return copy % COPIES_PER_ROW * MN_STEP; }
  static constexpr __device__ int k_offset(int copy) { return copy / COPIES_PER_ROW * K_STEP; }
  static constexpr __device__ int tile_offset(int copy) { return k_offset(copy) * ROW + mn_offset(copy); }

  __device__ __forceinline__ std::int64_t source_offset(int copy) const {
    return FEED == Feed::element_k ? mn_offset(copy) * ld_ : mn_offset(copy) + k_offset(copy) * ld_;
  }

  __device__ __forceinline__ void issue_all(float* target) const {
#pragma unroll
    for (int i = 0; i < COPIES; ++i) {
      async_copy<WIDTH* int{sizeof(float)}>(target + tile_offset(i), next_ + source_offset(i));
    }
  }

  __device__ __forceinline__ void issue_inside(float* target, std::int64_t k_left) const {
#pragma unroll 1
    for (int i = 0; i < COPIES; ++i) {
      if (k_ + k_offset(i) >= k_left) break;
      const std::int64_t rows = mn_left_ - (mn_ + mn_offset(i));
#pragma unroll
      for (int e = 0; e < WIDTH; ++e) {
        if (e < rows) async_copy<sizeof(float)>(target + tile_offset(i) + e, next_ + source_offset(i) + e);
      }
    }
  }

  int mn_;
  int k_;
  std::int64_t ld_;
  std::int64_t mn_left_;
  const float* next_;
};

}  // namespace ladder::LADDER_DEVICE
