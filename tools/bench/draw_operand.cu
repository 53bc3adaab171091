// SPDX-License-Identifier: MIT
// Operands drawn on the GPU. Nothing here is timed.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include "draw_operand.hpp"
#include "operand_data.hpp"

namespace ladder::bench {

namespace {

constexpr int threads = 256;
constexpr std::int64_t most_blocks = 2048;  // a few for each multiprocessor of any GPU; the loop takes the rest
constexpr int quad = 4;                     // numbers that one step of the Philox generator gives

__device__ float4 draw_quad(Data data, std::uint64_t seed, std::int64_t index) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, static_cast<unsigned long long>(index), 0, &state);
  if (data != Data::uniform && data != Data::positive) return curand_normal4(&state);
  float4 u = curand_uniform4(&state);
  if (data == Data::positive) return u;
  u.x = 2.0f * u.x - 1.0f, u.y = 2.0f * u.y - 1.0f, u.z = 2.0f * u.z - 1.0f, u.w = 2.0f * u.w - 1.0f;
  return u;
}

__device__ OperandPlace place_of(const StoredOperand& operand, std::int64_t at) {
  const std::int64_t row = at % operand.ld;
  const std::int64_t column = at / operand.ld % operand.columns;
  if (operand.k_is_row) return {operand.is_a, column, operand.columns, row, operand.rows};
  return {operand.is_a, row, operand.rows, column, operand.columns};
}

__global__ void draw(StoredOperand operand, Data data, std::uint64_t seed) {
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t q = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; q * quad < operand.count; q += stride) {
    const float4 drawn = draw_quad(data, seed, q);
    const float values[quad] = {drawn.x, drawn.y, drawn.z, drawn.w};
    for (int i = 0; i < quad; ++i) {
      const std::int64_t at = q * quad + i;
      if (at >= operand.count) break;
      const bool in_matrix = at % operand.ld < operand.rows;
      operand.elements[at] = in_matrix ? element_of(data, values[i], place_of(operand, at)) : nanf("");
    }
  }
}

}  // namespace

int draw_operand(const StoredOperand& operand, Data data, std::uint64_t seed) {
  if (operand.count == 0) return cudaSuccess;
  const std::int64_t blocks = (operand.count + quad * threads - 1) / (quad * threads);
  draw<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), threads>>>(operand, data, seed);
  return cudaGetLastError();
}

}  // namespace ladder::bench
