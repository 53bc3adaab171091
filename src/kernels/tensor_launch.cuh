// SPDX-License-Identifier: MIT
// The launches that make up a product on the tensor cores: operands into planes, planes multiplied, and behind them the
// kernels that do the problem where its values do not suit the planes. Which of them work is decided on the device.
#pragma once

#include "cut_problem.hpp"
#include "out_of_range.hpp"
#include "plane_memory.hpp"
#include "plane_plan.hpp"
#include "prepared_planes.hpp"
#include "split_planes.cuh"

namespace ladder::LADDER_DEVICE {

/// Enqueues the product of planes that have been written.
using MultiplyPlanes = LaunchStatus (*)(const GemmProblem& problem, Stream stream, const SplitOperands& planes,
                                        Gate gate);

/// Rung 11's own choice, for rung 12 to hand over to.
LaunchStatus multiply_bf16x3(const GemmProblem& problem, Stream stream, const SplitOperands& planes, Gate gate);

/// Calls each of them, up to the first that fails.
template <class... Launches>
LaunchStatus launch_in_order(const Launches&... launches) {
  LaunchStatus status = launch_ok;
  static_cast<void>((((status = launches()) == launch_ok) && ...));
  return status;
}

/// Calls launch(piece, memory) for the problem, or for parts of it where there is no memory for so many planes.
template <class Launch>
LaunchStatus launch_with_planes(const GemmProblem& p, Stream stream, PlaneFormat widest, const Launch& launch) {
  return launch_in_pieces(
             p, [widest](const GemmProblem& piece) { return plane_bytes(piece, widest); },
             [stream](std::size_t bytes) { return plane_memory_of(stream, bytes); }, launch)
      .value_or(launch_no_memory);
}

/// Six products of three planes of bf16, else FP32 FMAs.
template <MultiplyPlanes multiply>
LaunchStatus launch_bf16x3(const GemmProblem& p, Stream stream) {
  constexpr PlaneFormat bf16x3 = PlaneFormat::bf16x3;
  return launch_with_planes(p, stream, bf16x3, [stream](const GemmProblem& piece, const PlaneMemory& memory) {
    const KeptOperands kept = kept_operands(piece);
    const SplitOperands planes = kept.in_place_of(lay_out(piece, bf16x3, memory), bf16x3);
    return launch_in_order([&] { return recall_facts(piece, stream, planes.facts, kept.facts()); },
                           [&] { return launch_split<bf16x3>(piece, stream, planes, Gate::always, kept.facts()); },
                           [&] { return multiply(piece, stream, planes, Gate::always); },
                           [&] { return launch_out_of_range(piece, stream, planes.facts, OfferedPlanes::bf16x3); });
  });
}

/// Three products of two scaled planes of fp16, else what launch_bf16x3() does.
template <MultiplyPlanes multiply>
LaunchStatus launch_fp16x2(const GemmProblem& p, Stream stream) {
  constexpr PlaneFormat fp16x2 = PlaneFormat::fp16x2;
  constexpr PlaneFormat bf16x3 = PlaneFormat::bf16x3;
  return launch_with_planes(p, stream, bf16x3, [stream](const GemmProblem& piece, const PlaneMemory& memory) {
    const KeptOperands kept = kept_operands(piece);
    const SplitOperands first = kept.in_place_of(lay_out(piece, fp16x2, memory), fp16x2);
    const SplitOperands behind = kept.in_place_of(lay_out(piece, bf16x3, memory), bf16x3);
    return launch_in_order(
        [&] { return recall_facts(piece, stream, first.facts, kept.facts()); },
        [&] { return launch_split<fp16x2>(piece, stream, first, Gate::always, kept.facts()); },
        [&] { return multiply(piece, stream, first, Gate::always); },
        [&] { return launch_split<bf16x3>(piece, stream, behind, Gate::unless_fp16, kept.facts()); },
        [&] { return multiply_bf16x3(piece, stream, behind, Gate::unless_fp16); },
        [&] { return launch_out_of_range(piece, stream, behind.facts, OfferedPlanes::fp16x2_then_bf16x3); });
  });
}

/// One product of one plane of TF32.
template <MultiplyPlanes multiply>
LaunchStatus launch_tf32(const GemmProblem& p, Stream stream) {
  constexpr PlaneFormat tf32 = PlaneFormat::tf32;
  return launch_with_planes(p, stream, tf32, [stream](const GemmProblem& piece, const PlaneMemory& memory) {
    const SplitOperands planes = lay_out(piece, tf32, memory);
    return launch_in_order([&] { return launch_split<tf32>(piece, stream, planes); },
                           [&] { return multiply(piece, stream, planes, Gate::always); });
  });
}

}  // namespace ladder::LADDER_DEVICE
