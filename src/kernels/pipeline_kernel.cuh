// SPDX-License-Identifier: MIT
// The warp-specialised kernel of the pipelined rungs, and how a problem is planned for it and launched.
#pragma once

#include <limits>

#include "device_traits.cuh"
#include "pipeline_consumer.cuh"
#include "pipeline_producer.cuh"
#include "scratch.hpp"
#include "sum_order.hpp"
#include "work_planner.hpp"

namespace ladder::LADDER_DEVICE {

// ---------------------------------------------------------------------------------------- who does what

/// Everyone keeps the registers that the compiler allots.
template <int PRODUCER_WARPS, int RESIDENT_BLOCKS>
struct PlainRoles {
  static constexpr int PRODUCERS = PRODUCER_WARPS * warp_size;
  static constexpr int RESIDENT = RESIDENT_BLOCKS;
  static constexpr bool LENDS_REGISTERS = false;
};

/// A producing warpgroup gives registers away: what a block starts with is shared out anew. Producers that have to
/// spill cost the consumers, too: ptxas then finds worse registers for the sums.
template <int RESIDENT_BLOCKS, int CONSUMER, int PRODUCER>
struct LendingRoles {
  static constexpr int PRODUCERS = 128;  // the unit in which registers change hands
  static constexpr int RESIDENT = RESIDENT_BLOCKS;
  static constexpr bool LENDS_REGISTERS = true;
  [[maybe_unused]] static constexpr int PRODUCER_REGISTERS = PRODUCER;  // where setmaxnreg exists
  [[maybe_unused]] static constexpr int CONSUMER_REGISTERS = CONSUMER;
};

// ---------------------------------------------------------------------------------------- kernel

/// Warps of their own copy; the others only compute.
template <class Tile, class Roles>
__global__ void __launch_bounds__(Tile::THREADS + Roles::PRODUCERS, Roles::RESIDENT)
    sgemm_warp_specialized(const GemmProduct first, const BatchLayout layout, const Epilogue epilogue,
                           const WorkPlan plan) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  constexpr bool built = true;
#else
  constexpr bool built = !Roles::LENDS_REGISTERS;
#endif
  if constexpr (built) {
    PipelineSmem<Tile>& smem = block_smem<PipelineSmem<Tile>>();
    if (leaves_c_alone(load_scalars(first, epilogue), epilogue)) return;
    init_barriers(smem, Roles::PRODUCERS, plan.arrivals_per_warp);

    if (threadIdx.x >= Tile::THREADS) {
      if constexpr (Roles::LENDS_REGISTERS) release_registers<Roles::PRODUCER_REGISTERS>();
      Panels<Tile>::with_feed_of_a(first, layout, [&](auto a) {
        Panels<Tile>::with_feed_of_b(first, layout, [&](auto b) {
          Producer<Tile, a(), b(), Roles::PRODUCERS> producer(smem, first, layout, plan, threadIdx.x - Tile::THREADS);
          while (!producer.done()) {
            if (producer.stage_is_used()) producer.empty().wait_idly(producer.empty_parity());
            producer.issue();
          }
        });
      });
    } else {
      if constexpr (Roles::LENDS_REGISTERS) claim_registers<Roles::CONSUMER_REGISTERS>();
      consume<typename ShareOf<Tile>::Type>(smem, first, layout, epilogue, plan, [] {});
    }
  }
}

// ---------------------------------------------------------------------------------------- host side

/// FMAs of a multiprocessor in a cycle.
inline constexpr int fp32_fma_per_cycle = 128;

/// A tile, who does what in its block, and the shares of a multiprocessor's peak that one block and all resident ones
/// reach.
template <class TILE, class ROLES, int ALONE_PERCENT, int TOGETHER_PERCENT, int PEAK = fp32_fma_per_cycle>
struct Variant {
  using Tile = TILE;
  using Roles = ROLES;
  static constexpr TileTraits traits{
      Tile::BM, Tile::BN, Tile::BK, Roles::RESIDENT, ALONE_PERCENT / 100.0, TOGETHER_PERCENT / 100.0, PEAK};
};

/// setmaxnreg exists on sm_90a alone, and only code built for it was compiled to use it.
inline bool can_lend_registers() {
#if defined(LADDER_EMULATED) || LADDER_BUILT_FOR_SM90A
  constexpr int hopper = 90;
  return device_traits().compute_capability == hopper;
#else
  return false;
#endif
}

/// KernelConfig::predicted_cycles of a variant.
template <class Variant>
double cycles_of(const GemmProblem& p, int multiprocessors) {
  if (Variant::Roles::LENDS_REGISTERS && !can_lend_registers()) return std::numeric_limits<double>::infinity();
  return plan_work(p, Variant::traits, multiprocessors, !plain_sums()).cycles;
}

/// The plan for a launch on `stream`, with the scratch memory that it needs.
template <class Variant>
PlannedWork planned(const GemmProblem& p, Stream stream) {
  const int multiprocessors = device_traits().multiprocessors;
  PlannedWork work = plan_work(p, Variant::traits, multiprocessors, !plain_sums());
  if (!needs_scratch(work.plan)) return work;
  const Scratch scratch = scratch_of(stream, parts_per_block * work.blocks * Variant::Tile::BM * Variant::Tile::BN);
  if (scratch.parts == nullptr) return plan_work(p, Variant::traits, multiprocessors, false);
  work.plan.parts = scratch.parts;
  work.plan.tickets = scratch.tickets;
  return work;
}

/// KernelConfig::launch of a variant.
template <class Variant>
LaunchStatus launch_specialized(const GemmProblem& p, Stream stream) {
  using Tile = typename Variant::Tile;
  using Roles = typename Variant::Roles;
  if (Roles::LENDS_REGISTERS && !can_lend_registers()) return launch_not_supported;
  const PlannedWork work = planned<Variant>(p, stream);
  return launch_blocks<sgemm_warp_specialized<Tile, Roles>, PipelineSmem<Tile>>(
      work.blocks, Tile::THREADS + Roles::PRODUCERS, stream, p, work.plan);
}

}  // namespace ladder::LADDER_DEVICE
