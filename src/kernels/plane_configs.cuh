// SPDX-License-Identifier: MIT
// The configurations of a rung that multiplies planes: its tiles, and when it leaves a problem to another rung.
#pragma once

#include <array>
#include <cstddef>
#include <limits>

#include "device_traits.cuh"
#include "mma_product.cuh"
#include "sum_order.hpp"
#include "tensor_launch.cuh"
#if !defined(LADDER_EMULATED)
#include "wgmma_product.cuh"
#endif

namespace ladder::LADDER_DEVICE {

/// A configuration, and how it multiplies planes that have been written.
struct Multiplier {
  KernelConfig config;
  MultiplyPlanes multiply;
};

template <std::size_t COUNT>
constexpr std::array<KernelConfig, COUNT> configs_of(const std::array<Multiplier, COUNT>& multipliers) {
  std::array<KernelConfig, COUNT> configs{};
  for (std::size_t i = 0; i < COUNT; ++i) configs[i] = multipliers[i].config;
  return configs;
}

#if defined(LADDER_EMULATED)
inline bool has_wgmma() { return false; }
#endif

/// Cycles of the product alone on any tensor cores. Where wgmma is to be had as well, sums that depend on k alone are
/// its sums: the two add in different orders.
template <PlaneFormat FORMAT>
double mma_cycles(const GemmProblem& p, int multiprocessors) {
  using Tile = MmaTile<FORMAT>;
  if (!has_tensor_cores() || (plain_sums() && has_wgmma())) return std::numeric_limits<double>::infinity();
  constexpr double fma_per_cycle = 690;  // of a multiprocessor, with 16 bits: a third of what wgmma reaches on an H200
  constexpr double start_cycles = 3000;
  const double slab_cycles = plane_pairs(FORMAT) * double{Tile::BM} * Tile::BN * slab_k / fma_per_cycle;
  const auto tiles = static_cast<double>(tile_count<Tile>(p)) * static_cast<double>(p.batch);
  const auto slabs = static_cast<double>(ceil_div(p.k, slab_k));
  return start_cycles + std::ceil(tiles / multiprocessors) * (slabs * slab_cycles + Tile::BM * Tile::BN / 4.0);
}

/// Why a rung with at least `LEAST_K` of k leaves a problem to another; null where it takes it. Fewer products are
/// added more accurately one by one in FP32 than what the planes leave away is small.
template <int LEAST_K>
const char* declines_planes(const GemmProblem& p) {
  static_assert(LEAST_K == 48 || LEAST_K == 128, "the texts");
  if (!has_tensor_cores()) return "no tensor cores";
  if (p.k < LEAST_K) return LEAST_K == 48 ? "k below 48" : "k below 128";
  return nullptr;
}

}  // namespace ladder::LADDER_DEVICE
