// SPDX-License-Identifier: MIT
// What the machine could do at best, and the shortest time that leaves for a problem.
#pragma once

#include <optional>

#include "bench_problem.hpp"
#include "rung.hpp"

namespace ladder::bench {

/// Measured on the card at hand (see ceilings/ceilings.hpp), not read off a datasheet. Empty where it was not measured.
struct Ceilings {
  std::optional<double> fma_tflops;   ///< FP32 fused multiply-adds on registers alone
  std::optional<double> tf32_tflops;  ///< tensor cores, TF32
  std::optional<double> bf16_tflops;  ///< tensor cores, bf16 in, FP32 out
  std::optional<double> fp16_tflops;  ///< tensor cores, fp16 in, FP32 out
  std::optional<double> copy_gbs;     ///< device to device, bytes read plus bytes written
  std::optional<double> to_device_pinned_gbs;
  std::optional<double> to_device_pageable_gbs;
  std::optional<double> to_host_pinned_gbs;
  std::optional<double> to_host_pageable_gbs;
};

/// The unit that does the multiplications.
enum class Pipe : std::uint8_t { fp32, tf32, bf16, fp16 };

/// No launch ends sooner than this after the one before it, whatever it computes.
inline constexpr double launch_floor_ms = 0.002;

struct Floor {
  double ms = 0.0;
  const char* limit = "";  ///< what the floor is made of: "flops", "bytes" or "launch"
};

/// The unit that multiplies, and how often: a product of FP32 numbers may be several of narrower ones.
struct Multiplier {
  Pipe pipe = Pipe::fp32;
  int products = 1;
};

/// What a rung of that precision multiplies with.
Multiplier multiplier_of(Precision precision);

/// max(products * flops / rate of the pipe, compulsory bytes / device copy, launch). Nothing where a ceiling that it
/// needs is missing.
std::optional<Floor> floor_of(const BenchProblem& problem, Multiplier multiplier, const Ceilings& ceilings);

}  // namespace ladder::bench
