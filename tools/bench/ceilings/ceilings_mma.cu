// SPDX-License-Identifier: MIT
// The tensor cores' ceilings by the instructions of single warps: fragments in registers, no loads in the loop.
#include "ceilings_parts.hpp"

namespace ladder::bench {

namespace {

constexpr int threads = 256;
constexpr int blocks_per_sm = 2;
constexpr int waves = 4;
constexpr int grid_side = 4;  // fragments of A and of B that a warp holds; it keeps the products of all pairs
constexpr int a_registers = 4;
constexpr int b_registers = 2;
constexpr int sum_registers = 4;
constexpr int steps = 1024;
constexpr int warps = threads / 32;
static_assert(threads * grid_side * (a_registers + b_registers) <= tensor_operand_words);
constexpr int mma_m = 16;
constexpr int mma_n = 8;
constexpr int lowest_ptx = 80;  // as cudaFuncAttributes counts: code for less has no such instruction
constexpr float never = -1.0e30f;

/// Depth of one instruction: 32 bytes of each row of A.
constexpr int mma_k(Pipe pipe) { return pipe == Pipe::tf32 ? 8 : 16; }

#define LADDER_MMA(shape_and_types)                                                                         \
  asm volatile("mma.sync.aligned." shape_and_types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" \
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                     \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <Pipe PIPE>
__device__ __forceinline__ void multiply(float (&sum)[sum_registers], const std::uint32_t (&a)[a_registers],
                                         const std::uint32_t (&b)[b_registers]) {
#if __CUDA_ARCH__ >= 800
  if constexpr (PIPE == Pipe::tf32) LADDER_MMA("m16n8k8.row.col.f32.tf32.tf32.f32");
  if constexpr (PIPE == Pipe::bf16) LADDER_MMA("m16n8k16.row.col.f32.bf16.bf16.f32");
  if constexpr (PIPE == Pipe::fp16) LADDER_MMA("m16n8k16.row.col.f32.f16.f16.f32");
#endif
}
#undef LADDER_MMA

template <Pipe PIPE>
__global__ void __launch_bounds__(threads, blocks_per_sm) warp_products(const std::uint32_t* operands, float* sink) {
  std::uint32_t a[grid_side][a_registers];
  std::uint32_t b[grid_side][b_registers];
  float sums[grid_side][grid_side][sum_registers] = {};
  const std::uint32_t* mine = operands + threadIdx.x;
#pragma unroll
  for (int i = 0; i < grid_side; ++i) {
#pragma unroll
    for (int r = 0; r < a_registers; ++r, mine += threads) a[i][r] = *mine;
#pragma unroll
    for (int r = 0; r < b_registers; ++r, mine += threads) b[i][r] = *mine;
  }
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < grid_side; ++i) {
#pragma unroll
      for (int j = 0; j < grid_side; ++j) multiply<PIPE>(sums[i][j], a[i], b[j]);
    }
  }
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < grid_side; ++i) {
#pragma unroll
    for (int j = 0; j < grid_side; ++j) {
#pragma unroll
      for (int r = 0; r < sum_registers; ++r) total += sums[i][j][r];
    }
  }
  if (total == never) *sink = total;
}

template <Pipe PIPE>
Work work_of(int sm_count, const std::uint32_t* operands, float* sink) {
  const int blocks = sm_count * blocks_per_sm * waves;
  const double products_of_warp = static_cast<double>(steps) * grid_side * grid_side;
  return {.launch =
              [blocks, operands, sink](cudaStream_t stream) {
                warp_products<PIPE><<<blocks, threads, 0, stream>>>(operands, sink);
                return cudaGetLastError();
              },
          .amount = 2.0 * mma_m * mma_n * mma_k(PIPE) * products_of_warp * warps * blocks};
}

}  // namespace

Work warp_tensor_work(Pipe pipe, int sm_count, const std::uint32_t* operands, float* sink) {
  if (pipe == Pipe::tf32) return work_of<Pipe::tf32>(sm_count, operands, sink);
  if (pipe == Pipe::bf16) return work_of<Pipe::bf16>(sm_count, operands, sink);
  return work_of<Pipe::fp16>(sm_count, operands, sink);
}

bool warp_tensor_code_is_there() {
  cudaFuncAttributes attributes{};
  return cudaFuncGetAttributes(&attributes, warp_products<Pipe::tf32>) == cudaSuccess &&
         attributes.ptxVersion >= lowest_ptx;
}

}  // namespace ladder::bench
