// SPDX-License-Identifier: MIT
#include "roofline.hpp"

namespace ladder::bench {

namespace {

constexpr double milliseconds_per_second = 1e3;
constexpr double flops_per_teraflop = 1e12;
constexpr double bytes_per_gigabyte = 1e9;

const std::optional<double>& rate_of(Pipe pipe, const Ceilings& ceilings) {
  switch (pipe) {
    case Pipe::tf32:
      return ceilings.tf32_tflops;
    case Pipe::bf16:
      return ceilings.bf16_tflops;
    case Pipe::fp16:
      return ceilings.fp16_tflops;
    case Pipe::fp32:
      break;
  }
  return ceilings.fma_tflops;
}

bool usable(const std::optional<double>& rate) { return rate && *rate > 0.0; }

}  // namespace

Multiplier multiplier_of(Precision precision) {
  constexpr int products_of_bf16x6 = 6, products_of_fp16x3 = 3;
  switch (precision) {
    case Precision::tf32:
      return {Pipe::tf32};
    case Precision::bf16x6:
      return {Pipe::bf16, products_of_bf16x6};
    case Precision::fp16x3:
      return {Pipe::fp16, products_of_fp16x3};
    case Precision::fp32:
      break;
  }
  return {Pipe::fp32};
}

std::optional<Floor> floor_of(const BenchProblem& problem, Multiplier multiplier, const Ceilings& ceilings) {
  const std::optional<double>& tflops = rate_of(multiplier.pipe, ceilings);
  if (!usable(tflops) || !usable(ceilings.copy_gbs)) return std::nullopt;
  const double flops_ms =
      multiplier.products * flops(problem) / (*tflops * flops_per_teraflop) * milliseconds_per_second;
  const double bytes_ms =
      compulsory_bytes(problem) / (*ceilings.copy_gbs * bytes_per_gigabyte) * milliseconds_per_second;
  Floor floor{launch_floor_ms, "launch"};
  if (bytes_ms > floor.ms) floor = {bytes_ms, "bytes"};
  if (flops_ms > floor.ms) floor = {flops_ms, "flops"};
  return floor;
}

}  // namespace ladder::bench
