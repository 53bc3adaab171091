// SPDX-License-Identifier: MIT
// The host's side of a sliced-K launch: a model of its time, and the division of C and k for which it is best.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "device_traits.cuh"
#include "pipeline_feed.cuh"
#include "scratch.hpp"
#include "sliced_parts.cuh"
#include "sum_order.hpp"

namespace ladder::LADDER_DEVICE {

inline Divisor divide_by(std::uint32_t divisor) {
  const auto shift = static_cast<std::uint32_t>(std::bit_width(divisor - 1));
  const std::uint64_t above = (std::uint64_t{1} << shift) - divisor;
  return {static_cast<std::uint32_t>((above << 32) / divisor + 1), shift};
}

// Clock cycles, and bytes a cycle of one multiprocessor.
inline constexpr double launch_cycles = 3000;   // until the first instruction, and from the last store on
inline constexpr double code_cycles = 5000;     // for instructions that no cache holds yet
inline constexpr double memory_latency = 1800;  // until a block's first stage is there
inline constexpr double parts_latency = 5000;   // to write a part, take a ticket and have the first of the others
inline constexpr double parts_bytes = 48;       // that one block reads of parts
inline constexpr double memory_bytes = 16;
inline constexpr double l2_bytes = 32;
inline constexpr double burst_bytes = 28;  // while rings are filled for the first times: the sums wait for it
inline constexpr double shared_bytes = 128;
inline constexpr double fmas = 128;

/// How a launch shares out C and k: whole tiles first, the others in `parts` parts of k. All tiles of a batch together.
struct Division {
  std::int64_t whole;
  std::int64_t parts;
};

/// Issue slots that one step of one operand's copies costs a warp, `extent` wide. Copies of four bytes keep the way to
/// shared memory busy for longer than their instructions take.
inline double copy_slots(Feed feed, int extent) {
  constexpr double slots_per_quads = 2;
  constexpr double slots_per_floats = 10;
  return feed == Feed::vector_mn ? slots_per_quads * extent / (warp_size * vec) : slots_per_floats * extent / warp_size;
}

/// To add up a tile's parts, in one level or two.
inline double joining_cycles(double parts, double elements) {
  if (parts == 1) return 0;
  const double levels = parts > few_parts ? 2 : 1;
  const double reads = parts > few_parts ? 2 * std::sqrt(parts) : parts;
  return levels * parts_latency + reads * elements * sizeof(float) / parts_bytes;
}

/// Of the busiest multiprocessor.
template <class Tile>
double cycles_with(const GemmProblem& p, int multiprocessors, const Division& d) {
  constexpr double elements = double{Tile::BM} * Tile::BN;
  constexpr double reduction = 2 * Tile::WARPS * elements * sizeof(float) / shared_bytes;
  // A step of k: FMAs with the waits between them, and the fragments' way from shared memory.
  constexpr double schedulers = 4;
  constexpr double sum_step = 1.2 * elements / fmas + 0.2 * (Tile::TM + Tile::TN);
  const double step =
      sum_step +
      (copy_slots(feed_of_every_a(p, p), Tile::BM) + copy_slots(feed_of_every_b(p, p), Tile::BN)) / schedulers;
  const std::int64_t split = tile_count<Tile>(p) * p.batch - d.whole;
  const auto whole_share = static_cast<double>(ceil_div(d.whole, multiprocessors));
  const auto split_share = static_cast<double>(ceil_div(split * d.parts, multiprocessors));
  const double steps = static_cast<double>(p.k) * (whole_share + split_share / static_cast<double>(d.parts));
  const double panels = steps * (Tile::BM + Tile::BN) * sizeof(float);
  const double matrices = static_cast<double>(p.batch) * sizeof(float) *
                          (static_cast<double>(p.m + p.n) * static_cast<double>(p.k) + static_cast<double>(p.m * p.n));
  const double moving = std::max(panels / l2_bytes, matrices / (memory_bytes * multiprocessors));
  const double share = whole_share + split_share;
  const double joining = joining_cycles(static_cast<double>(d.parts), elements);
  const double rounds = std::ceil(share / Tile::RESIDENT);
  constexpr double rings = double{Tile::RESIDENT} * Tile::WARPS * Tile::STAGES * Tile::BK * (Tile::BM + Tile::BN);
  const double filling = rounds * std::min(panels / rounds, 2 * rings * sizeof(float)) / burst_bytes;
  // One warp a scheduler waits where two would take turns.
  const double lonely = share * Tile::WARPS > schedulers ? 1.0 : 1.35;
  return launch_cycles + code_cycles + memory_latency * rounds + filling + std::max(steps * step * lonely, moving) +
         share * reduction + joining;
}

/// The division for which the model is best: nothing split, or the tiles that do not fill a round of blocks.
template <class Tile>
Division best_division(const GemmProblem& p, int multiprocessors) {
  constexpr std::int64_t least_k = 8 * Tile::WARPS;  // of a part
  const std::int64_t tiles = tile_count<Tile>(p) * p.batch;
  Division best{tiles, 1};
  double best_cycles = cycles_with<Tile>(p, multiprocessors, best);
  for (const std::int64_t blocks : {multiprocessors, Tile::RESIDENT * multiprocessors}) {
    const std::int64_t split = tiles % blocks;
    if (split == 0 || (split != tiles && p.batch > 1)) continue;
    const std::int64_t most = std::min(blocks / split, p.k / least_k);
    for (const std::int64_t parts : {most, (most + 1) / 2}) {
      const bool fits =
          split * parts <= scratch_floats / (Tile::BM * Tile::BN) && split * (parts + 1) <= scratch_tickets;
      if (parts <= 1 || !fits) continue;
      const Division division{tiles - split, parts};
      const double cycles = cycles_with<Tile>(p, multiprocessors, division);
      if (cycles < best_cycles) best = division, best_cycles = cycles;
    }
  }
  return best;
}

/// What the parts of a division need of scratch memory.
template <class Tile>
std::int64_t parts_floats(const GemmProblem& p, const Division& division) {
  const std::int64_t split = tile_count<Tile>(p) * p.batch - division.whole;
  return split * division.parts * Tile::BM * Tile::BN;
}

/// Steps of k of a warp, with K cut into `parts`: all of them where the sums must go by k.
template <class Tile>
std::int64_t slice_steps(const GemmProblem& p, std::int64_t parts) {
  const std::int64_t slices = plain_sums() ? 1 : Tile::WARPS * parts;
  return std::max<std::int64_t>(ceil_div(ceil_div(p.k, slices), vec), 1) * vec;
}

inline std::uint32_t slices_of(const GemmProblem& p, std::int64_t slice_k) {
  return static_cast<std::uint32_t>(std::max<std::int64_t>(ceil_div(p.k, slice_k), 1));
}

/// KiB of shared memory that a block may have (CUDA C++ Programming Guide, table of compute capabilities).
inline int shared_kib(int capability) {
  if (capability < 80) return 0;
  if (capability == 80 || capability == 87) return 163;
  return capability == 90 || capability / 10 == 10 || capability / 10 == 11 ? 227 : 99;
}

/// Whether a block has room on the device, and a warp's steps in its counter.
template <class Tile>
bool can_run(const GemmProblem& p) {
  constexpr int kib = 1024;
  return sizeof(SlicedSmem<Tile>) <= static_cast<std::size_t>(shared_kib(device_traits().compute_capability)) * kib &&
         slice_steps<Tile>(p, 1) <= std::numeric_limits<int>::max() - Tile::BK;
}

template <class Tile>
SlicePlan make_plan(const GemmProblem& p, const Division& division, const Scratch& scratch) {
  const std::int64_t whole_slice_k = slice_steps<Tile>(p, 1);
  const std::int64_t slice_k = slice_steps<Tile>(p, division.parts);
  SlicePlan plan{};
  plan.tiles = static_cast<std::uint32_t>(tile_count<Tile>(p));
  plan.whole = static_cast<std::uint32_t>(division.whole / p.batch);
  plan.tiles_m = static_cast<std::uint32_t>(ceil_div(p.m, Tile::BM));
  plan.by_tiles_m = divide_by(plan.tiles_m);
  plan.whole_slice_k = static_cast<int>(whole_slice_k);
  plan.whole_slices = slices_of(p, whole_slice_k);
  plan.slice_k = static_cast<int>(slice_k);
  plan.slices = slices_of(p, slice_k);
  plan.parts = static_cast<std::uint32_t>(ceil_div(plan.slices, Tile::WARPS));
  plan.by_parts = divide_by(plan.parts);
  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(plan.parts)));
  plan.group = plan.parts <= std::uint32_t{few_parts} ? plan.parts : root;
  plan.groups = (plan.parts + plan.group - 1) / plan.group;
  plan.by_group = divide_by(plan.group);
  plan.sums = scratch.parts;
  plan.tickets = scratch.tickets;
  return plan;
}

template <class Tile>
double best_cycles(const GemmProblem& p, int multiprocessors) {
  if (!can_run<Tile>(p)) return std::numeric_limits<double>::infinity();
  const Division unsplit{tile_count<Tile>(p) * p.batch, 1};
  if (plain_sums()) return Tile::WARPS * cycles_with<Tile>(p, multiprocessors, unsplit);
  return cycles_with<Tile>(p, multiprocessors, best_division<Tile>(p, multiprocessors));
}

}  // namespace ladder::LADDER_DEVICE
