// SPDX-License-Identifier: MIT
#include "tensor_model.hpp"

#include <algorithm>
#include <limits>

namespace ladder {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double cycles_per_us = 1755;         // of an H200, as rung 9's model has them
constexpr double memory_bytes_per_cycle = 15;  // that one multiprocessor has while planes are written: H200, 3.6 TB/s

/// What a precision costs beside the product.
struct Costs {
  double bytes;      // read and written for an element of op(A) or op(B)
  double launch_us;  // launches, those included that find nothing to do
};

constexpr Costs bf16x6_costs{10, 8};
constexpr Costs fp16x3_costs{8, 11};

constexpr int ampere = 80;  // the first with bf16
constexpr int hopper = 90;
constexpr int blackwell = 100;

/// The rate of 16-bit products of a multiprocessor's tensor cores by mma.sync, in those of Hopper's: by the data
/// sheets.
double share_of_hopper(int compute_capability) {
  if (compute_capability == hopper) return 1.0;
  return compute_capability == ampere || compute_capability == blackwell ? 0.6 : 0.3;
}

}  // namespace

double tensor_cycles(Precision precision, const GemmProblem& p, double product_cycles, const DeviceTraits& device) {
  const bool scaled = precision == Precision::fp16x3;
  if (device.compute_capability < ampere || (!scaled && precision != Precision::bf16x6)) return never;
  const Costs costs = scaled ? fp16x3_costs : bf16x6_costs;
  const double elements =
      (static_cast<double>(p.m) + static_cast<double>(p.n)) * static_cast<double>(p.k) * static_cast<double>(p.batch);
  const double planes = elements * costs.bytes / (memory_bytes_per_cycle * std::max(device.multiprocessors, 1));
  return costs.launch_us * cycles_per_us + planes + product_cycles / share_of_hopper(device.compute_capability);
}

}  // namespace ladder
