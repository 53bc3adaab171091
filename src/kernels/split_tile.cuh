// SPDX-License-Identifier: MIT
// How the blocks that share a tile of C put their parts together: the one that comes last adds all of them in the
// order of k and goes on to the epilogue. Nobody waits for another block.
#pragma once

#include "pipeline.cuh"
#include "work_plan.cuh"

namespace ladder::LADDER_DEVICE {

/// The consuming threads of a block, meeting again and again.
class Meeting {
 public:
  __device__ __forceinline__ explicit Meeting(StageBarrier& barrier) : barrier_(barrier) {}

  __device__ __forceinline__ void meet() {
    barrier_.arrive();
    barrier_.wait(parity_);
    parity_ ^= 1;
  }

 private:
  StageBarrier& barrier_;
  std::uint32_t parity_ = 0;
};

/// Whether this block is the last of `blocks` to come here, and sees what the others wrote before. The counter is 0
/// again for the next launch.
template <class Tile>
__device__ __forceinline__ bool comes_last(PipelineSmem<Tile>& smem, Meeting& consumers, std::uint32_t* counter,
                                           int blocks) {
  consumers.meet();
  if (threadIdx.x == 0) {
    const bool last = take_ticket(counter) + 1 == static_cast<std::uint32_t>(blocks);
    if (last) *counter = 0;
    smem.ticket = last ? 1 : 0;
  }
  consumers.meet();
  return smem.ticket != 0;
}

/// sum = the parts of blocks first, first + step, ...: `count` of them, in this order.
template <class Tile, class Share>
__device__ __forceinline__ void add_up(Share& tile, const WorkPlan& plan, std::uint32_t index, int first, int step,
                                       int count) {
  tile.load_part_of(part_of<Tile>(plan, first, index), threadIdx.x);
#pragma unroll 1
  for (int i = 1; i < count; ++i) tile.add_part(part_of<Tile>(plan, first + i * step, index), threadIdx.x);
}

/// Leaves this block's part of split tile `index` with the others'. True in the block that comes last: its sums are
/// then the whole tile's. Where many share a tile, groups of neighbours add up their parts first. `inside`: this warp
/// has a share in C.
template <class Tile, class Share>
__device__ __forceinline__ bool join_parts(PipelineSmem<Tile>& smem, Meeting& consumers, const WorkPlan& plan,
                                           std::uint32_t index, Share& tile, bool inside) {
  const Sharers sharers(plan, index);
  const int block = static_cast<int>(blockIdx.x);
  const int group = sharers.count <= plan.widest_group ? sharers.count : plan.group;
  const int leader = (block - sharers.first) / group * group;
  const int left = sharers.count - leader;
  const int members = left < group ? left : group;
  if (inside) tile.store_part(part_of<Tile>(plan, block, index), threadIdx.x);
  std::uint32_t* tickets_of_groups = plan.tickets + plan.split_tiles;
  if (!comes_last(smem, consumers, tickets_of_groups + sharers.first + leader, members)) return false;
  if (inside) add_up<Tile>(tile, plan, index, sharers.first + leader, 1, members);
  if (members == sharers.count) return true;

  if (inside) tile.store_part(part_of<Tile>(plan, sharers.first + leader, index), threadIdx.x);
  const int groups = (sharers.count + group - 1) / group;
  if (!comes_last(smem, consumers, plan.tickets + index, groups)) return false;
  if (inside) add_up<Tile>(tile, plan, index, sharers.first, group, groups);
  return true;
}

}  // namespace ladder::LADDER_DEVICE
