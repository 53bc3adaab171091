// SPDX-License-Identifier: MIT
// The GPU's side of judging results. Nothing here is timed.
#include <cuda_runtime.h>

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

// -- Sums in float64 --------------------------------------------------------------------------------------------

// Row i of op(A) or column j of op(B): k elements, `step` apart.
struct Vector {
  const float* data;
  std::int64_t step;
  __device__ double operator[](std::int64_t l) const { return data[l * step]; }
};

struct Largest {
  double a;
  double b;
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
  __shared__ Largest largests[threads];
  Sample& sample = samples[blockIdx.x];
  const Vector a = row_of_a(p, sample);
  const Vector b = column_of_b(p, sample);
  const std::int64_t first = p.k * threadIdx.x / threads;
  const std::int64_t last = p.k * (threadIdx.x + 1) / threads;

  double sum = 0.0;
  double magnitude = 0.0;
  Largest largest{};
  for (std::int64_t l = first; l < last; ++l) {
    const double product = a[l] * b[l];
    sum += product;
    magnitude += fabs(product);
    largest.a = fmax(largest.a, fabs(a[l]));
    largest.b = fmax(largest.b, fabs(b[l]));
  }
  sums[threadIdx.x] = sum;
  others[threadIdx.x] = magnitude;
  largests[threadIdx.x] = largest;
  __syncthreads();
  if (threadIdx.x == 0) {
    double before = 0.0;
    double magnitudes = 0.0;
    for (int thread = 0; thread < threads; ++thread) {
      const double own = sums[thread];
      sums[thread] = before;
      before += own;
      magnitudes += others[thread];
      largest.a = fmax(largest.a, largests[thread].a);
      largest.b = fmax(largest.b, largests[thread].b);
    }
    sample.sum = before;
    sample.magnitude = magnitudes;
    sample.largest_a = largest.a;
    sample.largest_b = largest.b;
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
