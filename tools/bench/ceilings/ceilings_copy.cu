// SPDX-License-Identifier: MIT
// The ceiling of memory: a copy by 128-bit accesses, to set beside cudaMemcpy's.
#include "ceilings_parts.hpp"

namespace ladder::bench {

namespace {

constexpr int threads = 256;
constexpr int quads_of_thread = 4;  // loads in flight before the first store
constexpr std::size_t block_bytes = sizeof(uint4) * threads * quads_of_thread;
static_assert(copy_granule % block_bytes == 0, "whole blocks copy whole granules: no block looks for the end");

__global__ void __launch_bounds__(threads) copy_quads(uint4* to, const uint4* from) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * threads * quads_of_thread + threadIdx.x;
  uint4 quads[quads_of_thread];
#pragma unroll
  for (int i = 0; i < quads_of_thread; ++i) quads[i] = from[first + i * threads];
#pragma unroll
  for (int i = 0; i < quads_of_thread; ++i) to[first + i * threads] = quads[i];
}

}  // namespace

Work copy_kernel_work(void* to, const void* from, std::size_t bytes) {
  return {.launch =
              [to, from, bytes](cudaStream_t stream) {
                copy_quads<<<static_cast<unsigned>(bytes / block_bytes), threads, 0, stream>>>(
                    static_cast<uint4*>(to), static_cast<const uint4*>(from));
                return cudaGetLastError();
              },
          .amount = 2.0 * static_cast<double>(bytes)};
}

}  // namespace ladder::bench
