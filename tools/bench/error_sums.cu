// SPDX-License-Identifier: MIT
// A product in float64, tile by tile, and how far C is from it. Nothing here is timed.
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
__device__ ExactElement sum_products(const GemmProblem& p, const Place& first) {
  __shared__ double a[side][side + 1];  // [k][row]; the odd length spreads a column over the banks
  __shared__ double b[side][side + 1];  // [k][column]
  const int x = threadIdx.x % side;
  const int y = threadIdx.x / side;
  // Neighbouring threads read neighbouring addresses.
  const bool a_along_k = p.op_a == Op::transpose;
  const bool b_along_k = p.op_b == Op::none;
  double sum = 0.0;
  double magnitude = 0.0;
  double largest_a = 0.0;
  double largest_b = 0.0;
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
      sum += product;
      magnitude += fabs(product);
      largest_a = fmax(largest_a, fabs(a[k][x]));
      largest_b = fmax(largest_b, fabs(b[k][y]));
    }
    __syncthreads();
  }
  return {sum, magnitude, static_cast<double>(p.k) * largest_a * largest_b};
}

__global__ void __launch_bounds__(threads) exact_elements(GemmProblem p, ExactElement* elements) {
  const std::int64_t tiles_m = tiles_along(p.m);
  const std::int64_t tiles_n = tiles_along(p.n);
  for (std::int64_t tile = blockIdx.x; tile < tiles_m * tiles_n * p.batch; tile += gridDim.x) {
    const Place first{tile % tiles_m * side, tile / tiles_m % tiles_n * side, tile / tiles_m / tiles_n};
    const ExactElement exact = sum_products(p, first);
    const Place at{first.row + threadIdx.x % side, first.column + threadIdx.x / side, first.member};
    if (at.row < p.m && at.column < p.n) elements[(at.member * p.n + at.column) * p.m + at.row] = exact;
  }
}

// Looks random, whatever it is given (the finalizer of SplitMix64).
__device__ std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

__device__ void add_element(float value, const ExactElement& exact, std::int64_t place, ErrorSums& all) {
  const double error = fabs(value - exact.sum);
  all.error_squares += error * error;
  all.result_squares += exact.sum * exact.sum;
  all.checksum += mixed(mixed(place + 1) + __float_as_uint(value));
  if (!(error > 0.0)) return;
  all.worst = fmax(all.worst, error / exact.magnitude);
  all.worst_of_largest = fmax(all.worst_of_largest, error / exact.largest);
}

__device__ void add(const ErrorSums& part, ErrorSums& all) {
  all.error_squares += part.error_squares;
  all.result_squares += part.result_squares;
  all.checksum += part.checksum;
  all.worst = fmax(all.worst, part.worst);
  all.worst_of_largest = fmax(all.worst_of_largest, part.worst_of_largest);
}

__global__ void __launch_bounds__(threads) compare(GemmProblem p, const ExactElement* elements, ErrorSums* parts) {
  __shared__ ErrorSums of_threads[threads];
  const std::int64_t count = p.m * p.n * p.batch;
  ErrorSums own{};
  for (std::int64_t place = blockIdx.x * threads + threadIdx.x; place < count; place += gridDim.x * threads) {
    const std::int64_t column = place / p.m;
    const float value = p.c[column / p.n * p.stride_c + column % p.n * p.ldc + place % p.m];
    add_element(value, elements[place], place, own);
  }
  of_threads[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int thread = 1; thread < threads; ++thread) add(of_threads[thread], own);
  parts[blockIdx.x] = own;
}

}  // namespace

int sum_exactly(const GemmProblem& problem, ExactElement* elements) {
  const std::int64_t tiles = tiles_along(problem.m) * tiles_along(problem.n) * problem.batch;
  constexpr std::int64_t most_blocks = 1 << 20;  // the loop takes the rest
  exact_elements<<<static_cast<unsigned>(tiles < most_blocks ? tiles : most_blocks), threads>>>(problem, elements);
  return cudaGetLastError();
}

int sum_errors(const GemmProblem& problem, const ExactElement* elements, ErrorSums* parts) {
  compare<<<error_sum_blocks, threads>>>(problem, elements, parts);
  return cudaGetLastError();
}

}  // namespace ladder::bench
