// SPDX-License-Identifier: MIT
// A product in float64, tile by tile, only to compare C with it. Nothing here is timed.
#include <cuda_runtime.h>

#include "error_sums.hpp"

namespace ladder::bench {

namespace {

constexpr int side = 16;  // of a tile of C and of a slab of k: a thread an element
constexpr int threads = side * side;

struct Place {
  std::int64_t row;
  std::int64_t column;
  std::int64_t member;
};

__host__ __device__ std::int64_t tiles_along(std::int64_t extent) { return (extent + side - 1) / side; }

// The product's float64 sum and the sum of its magnitudes.
struct Sums {
  double sum = 0.0;
  double magnitude = 0.0;
};

// Elements outside of the matrices count as zeros.
__device__ double element_of_a(const GemmProblem& p, std::int64_t row, std::int64_t k, std::int64_t member) {
  if (row >= p.m || k >= p.k) return 0.0;
  return p.a[member * p.stride_a + (p.op_a == Op::none ? k * p.lda + row : row * p.lda + k)];
}

__device__ double element_of_b(const GemmProblem& p, std::int64_t k, std::int64_t column, std::int64_t member) {
  if (column >= p.n || k >= p.k) return 0.0;
  return p.b[member * p.stride_b + (p.op_b == Op::none ? column * p.ldb + k : k * p.ldb + column)];
}

// Of this thread's element in the tile that begins at `first`; all threads of the block together. A product of two
// floats is exact in float64.
__device__ Sums sum_products(const GemmProblem& p, const Place& first) {
  __shared__ double a[side][side + 1];  // [k][row]; the odd length spreads a column over the banks
  __shared__ double b[side][side + 1];  // [k][column]
  const int x = threadIdx.x % side;
  const int y = threadIdx.x / side;
  // Neighbouring threads read neighbouring addresses.
  const bool a_along_k = p.op_a == Op::transpose;
  const bool b_along_k = p.op_b == Op::none;
  Sums sums;
  for (std::int64_t k0 = 0; k0 < p.k; k0 += side) {
    const int a_k = a_along_k ? x : y;
    const int a_row = a_along_k ? y : x;
    const int b_k = b_along_k ? x : y;
    const int b_column = b_along_k ? y : x;
    a[a_k][a_row] = element_of_a(p, first.row + a_row, k0 + a_k, first.member);
    b[b_k][b_column] = element_of_b(p, k0 + b_k, first.column + b_column, first.member);
    __syncthreads();
    for (int k = 0; k < side; ++k) {
      const double product = a[k][x] * b[k][y];
      sums.sum += product;
      sums.magnitude += fabs(product);
    }
    __syncthreads();
  }
  return sums;
}

__device__ void add_element(const GemmProblem& p, const Place& at, const Sums& exact, ErrorSums& all) {
  if (at.row >= p.m || at.column >= p.n) return;
  const double error = fabs(p.c[at.member * p.stride_c + at.column * p.ldc + at.row] - exact.sum);
  all.error_squares += error * error;
  all.result_squares += exact.sum * exact.sum;
  if (error > 0.0) all.worst = fmax(all.worst, error / exact.magnitude);
}

__global__ void __launch_bounds__(threads) compare(GemmProblem p, ErrorSums* parts) {
  __shared__ ErrorSums of_threads[threads];
  const std::int64_t tiles_m = tiles_along(p.m);
  const std::int64_t tiles_n = tiles_along(p.n);
  ErrorSums own{};
  for (std::int64_t tile = blockIdx.x; tile < tiles_m * tiles_n * p.batch; tile += gridDim.x) {
    const Place first{tile % tiles_m * side, tile / tiles_m % tiles_n * side, tile / tiles_m / tiles_n};
    const Sums exact = sum_products(p, first);
    const Place own_place{first.row + threadIdx.x % side, first.column + threadIdx.x / side, first.member};
    add_element(p, own_place, exact, own);
  }
  of_threads[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int thread = 1; thread < threads; ++thread) {
    own.error_squares += of_threads[thread].error_squares;
    own.result_squares += of_threads[thread].result_squares;
    own.worst = fmax(own.worst, of_threads[thread].worst);
  }
  parts[blockIdx.x] = own;
}

}  // namespace

int sum_errors(const GemmProblem& problem, ErrorSums* parts) {
  compare<<<error_sum_blocks, threads>>>(problem, parts);
  return cudaGetLastError();
}

}  // namespace ladder::bench
