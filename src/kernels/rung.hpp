// SPDX-License-Identifier: MIT
// What a rung is, and the table of all of them (expanded from rungs.def).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "gemm_problem.hpp"

namespace ladder {

/// A cudaStream_t, kept opaque so that nothing above the kernels needs the CUDA headers.
using Stream = void*;

/// Result of a launch: 0, a positive cudaError_t, or one of the emulator's negative codes below.
using LaunchStatus = int;

inline constexpr LaunchStatus launch_ok = 0;
inline constexpr LaunchStatus launch_no_memory = 2;        ///< cudaErrorMemoryAllocation
inline constexpr LaunchStatus launch_not_supported = 801;  ///< cudaErrorNotSupported
inline constexpr LaunchStatus emulator_deadlock = -1;      ///< no thread of a block could go on
inline constexpr LaunchStatus emulator_diverged = -2;      ///< a barrier that some threads never reach
inline constexpr LaunchStatus emulator_no_memory = -3;     ///< no room for stacks or shared memory
inline constexpr LaunchStatus emulator_no_fma = -4;        ///< this CPU has no fused multiply-add
inline constexpr LaunchStatus emulator_fault = -5;         ///< a misaligned copy, a barrier without init(), a bad grid

/// One clause for people, without a final dot; for CUDA errors too.
const char* launch_status_text(LaunchStatus status);

/// What becomes of the elements and the products of a rung.
enum class Precision : std::uint8_t {
  fp32,    ///< FP32 FMAs
  tf32,    ///< elements rounded to TF32, products added in FP32 on the tensor cores
  bf16x6,  ///< elements in three parts of bf16, six products of parts: as accurate as FP32, over FP32's range
  fp16x3,  ///< elements in two scaled parts of fp16, three products: like FP32 where the values fit, else as bf16x6
};

/// What `ladder list` says: "fp32", "tf32", "bf16x6", "fp16x3".
const char* precision_name(Precision precision);

constexpr bool uses_tensor_cores(Precision precision) { return precision != Precision::fp32; }

/// True where a result is as good as one by FP32 FMAs, so that nobody has to ask for it by name.
constexpr bool is_as_good_as_fp32(Precision precision) { return precision != Precision::tf32; }

/// Block tile and pipeline depth of a rung's largest configuration: what tests derive their extents from.
struct TileExtents {
  int bm;
  int bn;
  int bk;
  int stages;
};

/// The order in which a configuration adds up an element's products.
enum class Sums : std::uint8_t {
  by_k,       ///< in the order of k, always
  as_asked,   ///< in blocks of k, in a fixed order; by k where plain_sums() asks for it
  in_blocks,  ///< in blocks of k, always: not chosen where plain_sums() asks for more
  by_slab,    ///< by slabs of k on the tensor cores: never rung 1's bits; where plain_sums() asks, blocks do not cut k
};

/// One of the tiles that a rung chooses between, forced. Its launch() fails where the device cannot run it.
struct KernelConfig {
  const char* name;
  TileExtents tile;
  LaunchStatus (*launch)(const GemmProblem& problem, Stream stream);
  /// Cycles that the busiest multiprocessor of the current device would need: for comparing the configurations of one
  /// rung. Infinite where the device cannot run the problem so, or should not. Answers are remembered, so it looks at
  /// no more than the device, plain_sums(), ops, extents, leading dimensions and strides, the addresses of the matrices
  /// modulo 16 or that they lie in arrays, and whether a scalar is on the device or 0.
  double (*predicted_cycles)(const GemmProblem& problem, int multiprocessors);
  Sums sums = Sums::by_k;
};

/// One rung's kernel as compiled for one device (GPU or emulator).
///
/// launch() enqueues the whole problem on `stream` and returns without waiting (the emulator runs it
/// before returning). It allocates nothing. The problem must be valid and not a no-op.
struct RungKernel {
  TileExtents tile;
  LaunchStatus (*launch)(const GemmProblem& problem, Stream stream);
  std::span<const KernelConfig> configs = {};  ///< empty where there is nothing to choose
  /// Why the rung leaves this problem to another on the current device, as a clause for the log ("k below 48"); null
  /// where it takes it. A null function takes every problem. The text lives as long as the program. Where plain_sums()
  /// asks, the answer depends on nothing but k and the device, so that an element's bits do not depend on m or n.
  const char* (*declines)(const GemmProblem& problem) = nullptr;
};

inline constexpr int unnumbered = -1;

struct Rung {
  const char* id;    ///< "r05"
  int number;        ///< what LADDER_RUNG calls it, or `unnumbered`
  const char* name;  ///< "thread_tile_2d"
  Precision precision;
  const char* idea;
  const RungKernel* gpu;       ///< null for rung 0 and in a build without CUDA
  const RungKernel* emulated;  ///< null for rung 0
};

/// All rungs, bottom to top.
std::span<const Rung> rungs();

/// By name ("warp_tiled"), id ("r08") or number ("8"); null when there is none.
const Rung* find_rung(std::string_view name_or_number);

/// The default for FP32: rung 9.
const Rung& default_rung();

/// Rung 0.
const Rung& cublas_rung();

/// The rung that works in this precision: the default one for FP32. Null where the library has none.
const Rung* rung_of(Precision precision);

/// Who takes the problems that `rung` declines or fails at: a rung at least as accurate. Null for those of FP32.
const Rung* rung_below(const Rung& rung);

}  // namespace ladder
