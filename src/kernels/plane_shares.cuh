// SPDX-License-Identifier: MIT
// How the blocks that share a tile along k bring its sums together. GPU only.
// Order of a sum: the shares of a group in the order of k, then the groups.
#pragma once

#include "device.cuh"
#include "plane_planner.hpp"
#include "plane_tile.cuh"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- one thread's sums

/// Leaves a thread's sums for another block: quad `i` of thread `t` stands at quad i * THREADS + t of the part.
template <int THREADS, int COUNT>
__device__ __forceinline__ void store_quads(const float (&sums)[COUNT], float* part) {
  static_assert(COUNT % 4 == 0);
  float4* const mine = reinterpret_cast<float4*>(part) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < COUNT; i += 4) {
    __stcg(mine + i / 4 * THREADS, make_float4(sums[i], sums[i + 1], sums[i + 2], sums[i + 3]));
  }
}

template <int THREADS, int COUNT>
__device__ __forceinline__ void load_quads(float (&sums)[COUNT], const float* part) {
  const float4* const mine = reinterpret_cast<const float4*>(part) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < COUNT; i += 4) {
    const float4 quad = __ldcg(mine + i / 4 * THREADS);
    sums[i] = quad.x, sums[i + 1] = quad.y, sums[i + 2] = quad.z, sums[i + 3] = quad.w;
  }
}

template <int THREADS, int COUNT>
__device__ __forceinline__ void add_quads(float (&sums)[COUNT], const float* part) {
  const float4* const mine = reinterpret_cast<const float4*>(part) + threadIdx.x;
#pragma unroll
  for (int i = 0; i < COUNT; i += 4) {
    const float4 quad = __ldcg(mine + i / 4 * THREADS);
    sums[i] = __fadd_rn(sums[i], quad.x), sums[i + 1] = __fadd_rn(sums[i + 1], quad.y);
    sums[i + 2] = __fadd_rn(sums[i + 2], quad.z), sums[i + 3] = __fadd_rn(sums[i + 3], quad.w);
  }
}

// ---------------------------------------------------------------------------------------- shares of a tile

/// The consuming threads of a block meet: a barrier of the hardware's that nobody else uses.
template <class Tile>
__device__ __forceinline__ void consumers_meet() {
  asm volatile("bar.sync 1, %0;" ::"n"(Tile::CONSUMERS) : "memory");
}

/// Leaves this block's sums in `part`. True in the one of `count` blocks that comes last: it sees what all of them
/// left.
template <class Tile, class Sums>
__device__ __forceinline__ bool leave_part(PlaneRing<Tile>& ring, const Sums& sums, float* part, std::uint32_t* counter,
                                           int count) {
  sums.store_part(part);
  consumers_meet<Tile>();
  if (threadIdx.x == 0) {
    const bool last = take_ticket(counter) + 1 == static_cast<std::uint32_t>(count);
    if (last) *counter = 0;
    ring.ticket = last ? 1 : 0;
  }
  consumers_meet<Tile>();
  return ring.ticket != 0;
}

/// The sums of `count` parts, `stride` apart, in their order.
template <class Sums>
__device__ __forceinline__ void take_parts(Sums& sums, const float* parts, int count, std::int64_t stride) {
  sums.load_part(parts);
#pragma unroll 1
  for (int i = 1; i < count; ++i) sums.add_part(parts + i * stride);
}

/// Leaves this block's share of a tile with the others'. True in the block that comes last: its sums are then the whole
/// tile's. Where the shares are many, the last block of each group adds up the group's, so that no block has to read
/// all.
template <class Tile, class Sums>
__device__ __forceinline__ bool join_shares(PlaneRing<Tile>& ring, Sums& sums, const PlanePlan& plan,
                                            const PlaneItem& at) {
  constexpr std::int64_t part_floats = std::int64_t{Tile::BM} * Tile::BN;
  float* const parts = plan.parts + at.cut_tile * plan.shares * part_floats;
  std::uint32_t* const counters = plan.tickets + at.cut_tile * tickets_of_tile(plan);
  const int group = at.share / plan.group_shares;
  const int first = group * plan.group_shares;
  const int left = plan.shares - first;
  const int count = left < plan.group_shares ? left : plan.group_shares;
  if (!leave_part(ring, sums, parts + at.share * part_floats, counters + group, count)) return false;
  take_parts(sums, parts + first * part_floats, count, part_floats);
  if (plan.groups == 1) return true;

  if (!leave_part(ring, sums, parts + first * part_floats, counters + plan.groups, plan.groups)) return false;
  take_parts(sums, parts, plan.groups, plan.group_shares * part_floats);
  return true;
}

}  // namespace ladder::LADDER_DEVICE
