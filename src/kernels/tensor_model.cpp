// SPDX-License-Identifier: MIT
#include "tensor_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ladder {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double cycles_per_us = 1755;         // of an H200, as rung 9's model has them
constexpr double memory_bytes_per_cycle = 15;  // that one multiprocessor has in the pre-pass: H200, 3.6 TB/s

/// What a precision costs, whatever the device.
struct Costs {
  double bytes;      // that the pre-pass reads and writes for an element
  double launch_us;  // launches, and the kernels behind that find that there is nothing to do
};

constexpr Costs bf16x6_costs{10, 8};
constexpr Costs fp16x3_costs{8, 11};

/// FP32 FMAs that the products of parts stand for, in a cycle of one multiprocessor.
struct Rate {
  double bf16x6;
  double fp16x3;
};

constexpr int ampere = 80;  // the first with bf16
constexpr int hopper = 90;
constexpr int blackwell = 100;

/// Hopper's as measured on an H200: 135 and 235 TFLOP/s. Elsewhere two thirds of what mma.sync may reach.
Rate rate_of(int compute_capability) {
  if (compute_capability == hopper) return {291, 507};
  if (compute_capability == ampere || compute_capability == blackwell) return {114, 228};
  return {57, 114};
}

struct TensorTile {
  int rows;
  int columns;
};

/// The tiles that the product kernels have, the larger first.
constexpr TensorTile tiles[] = {{256, 128}, {128, 128}};

double ceil_div(std::int64_t extent, int tile) { return std::ceil(static_cast<double>(extent) / tile); }

}  // namespace

double tensor_cycles(Precision precision, const GemmProblem& p, const DeviceTraits& device) {
  const bool scaled = precision == Precision::fp16x3;
  if (device.compute_capability < ampere || (!scaled && precision != Precision::bf16x6)) return never;
  const Costs costs = scaled ? fp16x3_costs : bf16x6_costs;
  const Rate rates = rate_of(device.compute_capability);
  const double rate = scaled ? rates.fp16x3 : rates.bf16x6;
  const double multiprocessors = std::max(device.multiprocessors, 1);
  const auto k = static_cast<double>(p.k);
  const auto batch = static_cast<double>(p.batch);

  const double elements = (static_cast<double>(p.m) + static_cast<double>(p.n)) * k * batch;
  double product_cycles = never;
  for (const TensorTile& tile : tiles) {
    const double count = ceil_div(p.m, tile.rows) * ceil_div(p.n, tile.columns) * batch;
    const double waves = std::ceil(count / multiprocessors);
    product_cycles = std::min(product_cycles, waves * tile.rows * tile.columns * k / rate);
  }
  return costs.launch_us * cycles_per_us + elements * costs.bytes / (memory_bytes_per_cycle * multiprocessors) +
         product_cycles;
}

}  // namespace ladder
