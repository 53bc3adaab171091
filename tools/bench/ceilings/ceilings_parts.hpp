// SPDX-License-Identifier: MIT
// The single ceilings: work whose amount is known and whose time is the answer. Internal to the ceilings.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench/roofline.hpp"

namespace ladder::bench {

/// One launch on a stream, and how much it does: flops or bytes.
struct Work {
  std::function<cudaError_t(cudaStream_t)> launch;
  double amount = 0.0;
};

/// FP32 multiply-adds on registers alone, on every SM, for a few milliseconds. `sink`: one float on the device, kept
/// from being written by the values themselves.
Work fma_work(int sm_count, float* sink);

/// Words of 32 bits that tensor_operands makes: 192 KiB, the shared memory of a block on compute capability 9.0.
inline constexpr std::size_t tensor_operand_words = 48 * 1024;

/// What the tensor cores are fed with: normally distributed numbers of the type. Zeros would draw less power and so
/// allow clocks that no real product has.
std::vector<std::uint32_t> tensor_operands(Pipe pipe);

/// Products on the tensor cores with FP32 sums, for about two milliseconds; `operands` (of tensor_operands, on the
/// device) are read once. Nothing for Pipe::fp32 and where this build does not reach the rate of the current device's
/// cores: below compute capability 8.0, on 9.0 without code for sm_90a, on 10 and 11, whose own instructions are not
/// used here.
std::optional<Work> tensor_work(Pipe pipe, int sm_count, const std::uint32_t* operands, float* sink);

/// The same by the instructions of single warps (mma.sync), at home on compute capability 8 and 12.
Work warp_tensor_work(Pipe pipe, int sm_count, const std::uint32_t* operands, float* sink);
/// Whether the current device runs code that has these instructions.
bool warp_tensor_code_is_there();

/// The same by the instructions of warpgroups (wgmma) on compute capability 9.0; nothing in a build without sm_90a.
std::optional<Work> warpgroup_tensor_work(Pipe pipe, int sm_count, const std::uint32_t* operands, float* sink);

/// Bytes must be a multiple of this for copy_kernel_work.
inline constexpr std::size_t copy_granule = std::size_t{1} << 20;

/// A device copy by a kernel with 128-bit accesses; bytes read plus bytes written. No overlap.
Work copy_kernel_work(void* to, const void* from, std::size_t bytes);

}  // namespace ladder::bench
