// SPDX-License-Identifier: MIT
// How a warp of a sliced-K block fills its ring: whole stages in as few instructions as there are copies and lines.
#pragma once

#include <limits>

#include "pipeline_feed.cuh"
#include "sliced_k.cuh"

namespace ladder::LADDER_DEVICE {

/// One warp's copies of one operand, stages of BK steps of k one after the other. Whatever the operand's layout in
/// memory, a stage is [BK][slice_row()].
///
/// Elements outside the matrix are not read: what they would feed is discarded in the epilogue, and the sums stop at
/// the last real k.
template <Feed FEED, int BMN, int BK>
class SliceFeed {
 public:
  /// The slice starts at row (column) mn0, of which mn_left are left, and step k0.
  __device__ __forceinline__ SliceFeed(const float* operand, std::int64_t ld, std::int64_t mn0, std::int64_t k0,
                                       int mn_left, int lane)
      : along_(lane % LANES * WIDTH), line_(lane / LANES), mn_left_(mn_left), ld_(ld) {
    next_ = operand + (TRANSPOSES ? k0 + along_ + (mn0 + line_) * ld : mn0 + along_ + (k0 + line_) * ld);
    first_ = held(TRANSPOSES ? along_ * ROW + line_ : line_ * ROW + along_);
    is_whole_ = mn_left >= BMN && ld <= std::numeric_limits<int>::max() / LINES_AT_ONCE;
  }

  /// Issues the copies of the next stage; the matrix has k_left more steps of k.
  __device__ __forceinline__ void issue(float* stage, int k_left) {
    const CopyTarget target = CopyTarget(stage) + first_;
    if (__builtin_expect(is_whole_ && k_left >= BK, true)) {
      copy_whole(target);
    } else {
      copy_some(target, k_left);
    }
    next_ += TRANSPOSES ? BK : BK * ld_;
  }

 private:
  static constexpr bool TRANSPOSES = FEED == Feed::element_k;
  static constexpr int ROW = slice_row(FEED, BMN);
  static constexpr int WIDTH = FEED == Feed::vector_mn ? vec : 1;
  static constexpr int LINE = TRANSPOSES ? BK : BMN;  // elements of a stage that are neighbours in memory
  // Eight lanes along k fill a 32-byte sector, four along m (n).
  static constexpr int MOST_LANES = TRANSPOSES ? 8 : warp_size;
  static constexpr int LANES = LINE / WIDTH < MOST_LANES ? LINE / WIDTH : MOST_LANES;
  static constexpr int SPAN = LANES * WIDTH;
  static constexpr int LINES_AT_ONCE = warp_size / LANES;
  static constexpr int LINES = (TRANSPOSES ? BMN : BK) / LINES_AT_ONCE;  // of a lane
  static constexpr int LINE_STEP = LINES_AT_ONCE * (TRANSPOSES ? 1 : ROW);
  static constexpr int SPAN_STEP = SPAN * (TRANSPOSES ? ROW : 1);
  static_assert(LINE % SPAN == 0 && LINES * LINES_AT_ONCE == (TRANSPOSES ? BMN : BK), "the copies tile the stage");

  // From line to line the address moves by a number of 32 bits: one instruction.
  __device__ __forceinline__ void copy_whole(CopyTarget target) const {
    const int step = static_cast<int>(ld_) * LINES_AT_ONCE;
    const float* line = next_;
#pragma unroll
    for (int i = 0; i < LINES; ++i) {
#pragma unroll
      for (int along = 0; along < LINE; along += SPAN) {
        const CopyTarget to = target + (i * LINE_STEP + along / SPAN * SPAN_STEP);
        if constexpr (WIDTH == vec) {
          async_copy_some(to, line + along, sizeof(float4));
        } else {
          async_copy_if(true, to, line + along);
        }
      }
      line = held(line + step);
    }
  }

  __device__ __forceinline__ void copy_some(CopyTarget target, int k_left) const {
    const int along_left = (TRANSPOSES ? k_left : mn_left_) - along_;
    const int lines_left = (TRANSPOSES ? mn_left_ : k_left) - line_;
    const float* line = next_;
#pragma unroll(LINES < 8 ? LINES : 4)
    for (int i = 0; i < LINES; ++i) {
      const bool inside = i * LINES_AT_ONCE < lines_left;
#pragma unroll
      for (int along = 0; along < LINE; along += SPAN) {
        const int left = inside ? along_left - along : 0;
        const CopyTarget to = target + (i * LINE_STEP + along / SPAN * SPAN_STEP);
        if constexpr (WIDTH == vec) {
          const int floats = left < 0 ? 0 : (left < vec ? left : vec);
          async_copy_some(to, line + along, floats * int{sizeof(float)});
        } else {
          async_copy_if(left > 0, to, line + along);
        }
      }
      line += ld_ * LINES_AT_ONCE;
    }
  }

  int along_;  // this lane's first element of a line
  int line_;
  int first_;  // where it goes in a stage
  int mn_left_;
  bool is_whole_;
  std::int64_t ld_;
  const float* next_;
};

}  // namespace ladder::LADDER_DEVICE
