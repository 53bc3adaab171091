// SPDX-License-Identifier: MIT
// The FP32 ceiling: multiply-adds whose operands never leave the registers.
#include "ceilings_parts.hpp"
#include "device.cuh"

namespace ladder::bench {

namespace {

constexpr int threads = 256;
constexpr int blocks_per_sm = 8;  // or as many as fit: fills the SM at 32 registers a thread
constexpr int waves = 4;
constexpr int chains = 16;  // independent sums of a thread; the latency of one multiply-add is 4 cycles
constexpr int steps = 8192;
constexpr int steps_in_loop = 32;  // 512 multiply-adds a turn, so that the loop's own instructions do not count

// x := x * factor + shift, from values spread over [0, 1). A factor just above -1 keeps them within [-1, 1], turns all
// their bits over in each step, and does not let them settle in a whole run.
constexpr float first_spacing = 1.0f / (threads * chains);
constexpr float factor = -0.99999f;
constexpr float shift = 0.73f;
constexpr float never = -1.0e30f;

__global__ void __launch_bounds__(threads, gpu::resident_blocks<threads>(blocks_per_sm))
    multiply_add_chains(float a, float b, float* sink) {
  float x[chains];
#pragma unroll
  for (int i = 0; i < chains; ++i) x[i] = static_cast<float>(threadIdx.x * chains + i) * first_spacing;
#pragma unroll 1
  for (int step = 0; step < steps; step += steps_in_loop) {
#pragma unroll
    for (int j = 0; j < steps_in_loop; ++j) {
#pragma unroll
      for (int i = 0; i < chains; ++i) x[i] = fmaf(x[i], a, b);
    }
  }
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < chains; ++i) sum += x[i];
  if (sum == never) *sink = sum;
}

}  // namespace

Work fma_work(int sm_count, float* sink) {
  const int blocks = sm_count * blocks_per_sm * waves;
  return {.launch =
              [blocks, sink](cudaStream_t stream) {
                multiply_add_chains<<<blocks, threads, 0, stream>>>(factor, shift, sink);
                return cudaGetLastError();
              },
          .amount = 2.0 * blocks * threads * static_cast<double>(chains) * steps};
}

}  // namespace ladder::bench
