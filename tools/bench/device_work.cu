// SPDX-License-Identifier: MIT
// The GPU's side of the benchmark's data: drawing operands and judging results. Nothing here is timed.
#include <cuda_runtime.h>
#include <curand_kernel.h>

#include "device_work.hpp"

namespace ladder::bench {

namespace {

constexpr int threads = 256;
constexpr int most_blocks = 2048;  // a few for each multiprocessor of any GPU; the loops take the rest

__device__ std::int64_t global_thread() { return std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t all_threads() { return std::int64_t(gridDim.x) * blockDim.x; }

int blocks_for(std::int64_t items) {
  const std::int64_t blocks = (items + threads - 1) / threads;
  return static_cast<int>(blocks < most_blocks ? blocks : most_blocks);
}

// -- Operands ---------------------------------------------------------------------------------------------------

constexpr int quad = 4;  // numbers that one step of the Philox generator gives

__device__ float4 draw_quad(Data data, std::uint64_t seed, std::int64_t index) {
  curandStatePhilox4_32_10_t state;
  curand_init(seed, static_cast<unsigned long long>(index), 0, &state);
  if (data == Data::normal || data == Data::graded) return curand_normal4(&state);
  float4 u = curand_uniform4(&state);
  if (data == Data::positive) return u;
  u.x = 2.0f * u.x - 1.0f, u.y = 2.0f * u.y - 1.0f, u.z = 2.0f * u.z - 1.0f, u.w = 2.0f * u.w - 1.0f;
  return u;
}

__global__ void draw(float* matrix, std::int64_t count, std::int64_t rows, std::int64_t ld, Data data,
                     std::uint64_t seed) {
  for (std::int64_t q = global_thread(); q * quad < count; q += all_threads()) {
    const float4 drawn = data == Data::zeros ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : draw_quad(data, seed, q);
    const float values[quad] = {drawn.x, drawn.y, drawn.z, drawn.w};
    for (int i = 0; i < quad; ++i) {
      const std::int64_t at = q * quad + i;
      const bool in_matrix = rows == ld || at % ld < rows;
      if (at < count) matrix[at] = in_matrix ? values[i] : nanf("");
    }
  }
}

__global__ void grade(float* matrix, std::int64_t count, std::int64_t rows, std::int64_t ld, Grading grading) {
  constexpr int steepest = 10;  // a power of two
  constexpr int steps = 2 * steepest + 1;
  const std::int64_t extent = grading.k_is_row ? rows : grading.columns;
  for (std::int64_t at = global_thread(); at < count; at += all_threads()) {
    const std::int64_t k = grading.k_is_row ? at % ld : at / ld % grading.columns;
    const int exponent = static_cast<int>(steps * k / extent) - steepest;
    matrix[at] = ldexpf(matrix[at], grading.rising ? exponent : -exponent);  // NaN between the columns stays NaN
  }
}

// -- Sums in float64 --------------------------------------------------------------------------------------------

// Row i of op(A) or column j of op(B): k elements, `step` apart.
struct Vector {
  const float* data;
  std::int64_t step;
  __device__ double operator[](std::int64_t l) const { return data[l * step]; }
};

__device__ Vector row_of_a(const GemmProblem& p, const Sample& at) {
  const float* a = p.a + at.member * p.stride_a;
  return p.op_a == Op::none ? Vector{a + at.row, p.lda} : Vector{a + at.row * p.lda, 1};
}

__device__ Vector column_of_b(const GemmProblem& p, const Sample& at) {
  const float* b = p.b + at.member * p.stride_b;
  return p.op_b == Op::none ? Vector{b + at.column * p.ldb, 1} : Vector{b + at.column, p.ldb};
}

// One block a sample, one run of consecutive k a thread. A second pass knows the sum before its run, and so every
// partial sum on the way. Thread 0 adds up the runs: always in the same order.
__global__ void sum_products(GemmProblem p, Sample* samples) {
  __shared__ double sums[threads];
  __shared__ double others[threads];
  Sample& sample = samples[blockIdx.x];
  const Vector a = row_of_a(p, sample);
  const Vector b = column_of_b(p, sample);
  const std::int64_t first = p.k * threadIdx.x / threads;
  const std::int64_t last = p.k * (threadIdx.x + 1) / threads;

  double sum = 0.0;
  double magnitude = 0.0;
  for (std::int64_t l = first; l < last; ++l) {
    const double product = a[l] * b[l];
    sum += product;
    magnitude += fabs(product);
  }
  sums[threadIdx.x] = sum;
  others[threadIdx.x] = magnitude;
  __syncthreads();
  if (threadIdx.x == 0) {
    double before = 0.0;
    double magnitudes = 0.0;
    for (int thread = 0; thread < threads; ++thread) {
      const double own = sums[thread];
      sums[thread] = before;
      before += own;
      magnitudes += others[thread];
    }
    sample.sum = before;
    sample.magnitude = magnitudes;
  }
  __syncthreads();

  double running = sums[threadIdx.x];
  double partial_sums = 0.0;
  for (std::int64_t l = first; l < last; ++l) {
    running += a[l] * b[l];
    partial_sums += fabs(running);
  }
  others[threadIdx.x] = partial_sums;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0.0;
    for (int thread = 0; thread < threads; ++thread) total += others[thread];
    sample.partial_sums = total;
  }
}

// -- Results ----------------------------------------------------------------------------------------------------

__device__ float element_of_c(const GemmProblem& p, std::int64_t row, std::int64_t column, std::int64_t member) {
  return p.c[member * p.stride_c + column * p.ldc + row];
}

__global__ void gather(GemmProblem p, const Sample* samples, std::int64_t count, float* values) {
  for (std::int64_t i = global_thread(); i < count; i += all_threads()) {
    values[i] = element_of_c(p, samples[i].row, samples[i].column, samples[i].member);
  }
}

__global__ void find_nans(GemmProblem p, std::int64_t elements, NanCount* nans) {
  unsigned long long count = 0;
  unsigned long long first = ~0ull;
  for (std::int64_t i = global_thread(); i < elements; i += all_threads()) {
    const std::int64_t column = i / p.m;
    if (!isnan(element_of_c(p, i % p.m, column % p.n, column / p.n))) continue;
    if (count == 0) first = i;
    ++count;
  }
  if (count == 0) return;
  static_assert(sizeof(unsigned long long) == sizeof(std::uint64_t), "the atomics work on these");
  atomicAdd(reinterpret_cast<unsigned long long*>(&nans->count), count);
  atomicMin(reinterpret_cast<unsigned long long*>(&nans->first), first);
}

}  // namespace

bool device_code_is_optimized() {
#if defined(__CUDACC_DEBUG__)
  return false;
#else
  return true;
#endif
}

int draw_matrix(float* matrix, std::int64_t count, std::int64_t rows, std::int64_t ld, Data data, std::uint64_t seed) {
  if (count == 0) return cudaSuccess;
  draw<<<blocks_for((count + quad - 1) / quad), threads>>>(matrix, count, rows, ld, data, seed);
  return cudaGetLastError();
}

int grade_matrix(float* matrix, std::int64_t count, std::int64_t rows, std::int64_t ld, const Grading& grading) {
  if (count == 0) return cudaSuccess;
  grade<<<blocks_for(count), threads>>>(matrix, count, rows, ld, grading);
  return cudaGetLastError();
}

int sum_samples(const GemmProblem& problem, Sample* samples, std::size_t count) {
  sum_products<<<static_cast<unsigned>(count), threads>>>(problem, samples);
  return cudaGetLastError();
}

int gather_samples(const GemmProblem& problem, const Sample* samples, std::size_t count, float* values) {
  const auto items = static_cast<std::int64_t>(count);
  gather<<<blocks_for(items), threads>>>(problem, samples, items, values);
  return cudaGetLastError();
}

int count_nans(const GemmProblem& problem, NanCount* nans) {
  const std::int64_t elements = problem.m * problem.n * problem.batch;
  find_nans<<<blocks_for(elements), threads>>>(problem, elements, nans);
  return cudaGetLastError();
}

}  // namespace ladder::bench
