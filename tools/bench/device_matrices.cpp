// SPDX-License-Identifier: MIT
#include "device_matrices.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <bit>
#include <initializer_list>
#include <limits>
#include <utility>

#include "cuda_owned.hpp"
#include "device_work.hpp"
#include "draw_operand.hpp"
#include "error_sums.hpp"

namespace ladder::bench {

namespace {

constexpr std::size_t alignment = 256;  // of each matrix, in bytes: that of cudaMalloc
constexpr int poison_byte = 0xff;       // four of them are a NaN
constexpr std::uint64_t seed_a = 1;
constexpr std::uint64_t seed_b = 2;
constexpr std::size_t sample_count = 256;

// What the judge keeps in device memory.
struct Notes {
  Sample samples[sample_count];
  float values[sample_count];
  NanCount nans;
};

std::string text_of(int status) { return cudaGetErrorString(static_cast<cudaError_t>(status)); }

// The first of them that is an error.
int first_error(std::initializer_list<int> statuses) {
  for (const int status : statuses) {
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}

std::size_t aligned_bytes(std::int64_t floats) {
  return (static_cast<std::size_t>(floats) * sizeof(float) + alignment - 1) / alignment * alignment;
}

GemmProblem problem_at(const BenchProblem& from) {
  GemmProblem p;
  p.op_a = from.op_a, p.op_b = from.op_b;
  p.m = from.m, p.n = from.n, p.k = from.k;
  p.lda = from.lda, p.ldb = from.ldb, p.ldc = from.ldc;
  p.alpha.value = 1.0f;
  p.batch = from.batch;
  p.stride_a = stride_a(from), p.stride_b = stride_b(from), p.stride_c = stride_c(from);
  return p;
}

}  // namespace

DeviceMatrices::~DeviceMatrices() {
  cudaFree(memory_);
  cudaFree(notes_);
  cudaFree(exact_);
}

// The memory has at least `bytes` then, doubled from time to time so that a list of growing problems is not a list of
// allocations.
std::string DeviceMatrices::reserve(std::size_t bytes) {
  if (bytes <= capacity_) return {};
  cudaFree(memory_);
  memory_ = nullptr;
  capacity_ = 0;
  cudaError_t status = cudaSuccess;
  for (const std::size_t wanted : {std::bit_ceil(bytes), bytes}) {
    status = cudaMalloc(&memory_, wanted);
    if (status == cudaSuccess) {
      capacity_ = wanted;
      return {};
    }
    memory_ = nullptr;
    cudaGetLastError();
  }
  constexpr double gigabyte = 1e9;
  return fmt::format("{:.1f} GB for the matrices: {}", static_cast<double>(bytes) / gigabyte, text_of(status));
}

int DeviceMatrices::draw(const GemmProblem& p, Data data) const {
  auto* a = const_cast<float*>(p.a);  // ours: the problem itself only reads them
  auto* b = const_cast<float*>(p.b);
  const bool a_is_transposed = p.op_a == Op::transpose;
  const bool b_is_transposed = p.op_b == Op::transpose;
  const std::int64_t a_rows = a_is_transposed ? p.k : p.m;
  const std::int64_t b_rows = b_is_transposed ? p.n : p.k;
  return first_error({draw_operand({.elements = a,
                                    .count = p.stride_a * p.batch,
                                    .rows = a_rows,
                                    .columns = p.stride_a / p.lda,
                                    .ld = p.lda,
                                    .is_a = true,
                                    .k_is_row = a_is_transposed},
                                   data, seed_a),
                      draw_operand({.elements = b,
                                    .count = p.stride_b * p.batch,
                                    .rows = b_rows,
                                    .columns = p.stride_b / p.ldb,
                                    .ld = p.ldb,
                                    .is_a = false,
                                    .k_is_row = !b_is_transposed},
                                   data, seed_b)});
}

std::string DeviceMatrices::place(const BenchProblem& given, Data data) {
  const BenchProblem problem = with_leading_dimensions(given);
  GemmProblem p = problem_at(problem);
  problem_ = {};
  samples_.clear();
  has_exact_ = false;
  const std::size_t a_bytes = aligned_bytes(p.stride_a * p.batch);
  const std::size_t b_bytes = aligned_bytes(p.stride_b * p.batch);
  c_bytes_ = aligned_bytes(p.stride_c * p.batch);
  if (std::string complaint = reserve(a_bytes + b_bytes + c_bytes_); !complaint.empty()) return complaint;

  auto* memory = static_cast<std::byte*>(memory_);
  p.a = reinterpret_cast<float*>(memory);
  p.b = reinterpret_cast<float*>(memory + a_bytes);
  p.c = reinterpret_cast<float*>(memory + a_bytes + b_bytes);
  const int status = first_error({draw(p, data), static_cast<int>(cudaDeviceSynchronize())});
  if (status != cudaSuccess) return "the operands cannot be drawn: " + text_of(status);
  problem_ = p;
  return {};
}

std::string DeviceMatrices::poison() const {
  const int status = first_error({cudaMemset(problem_.c, poison_byte, c_bytes_), cudaDeviceSynchronize()});
  return status == cudaSuccess ? std::string() : "C cannot be poisoned: " + text_of(status);
}

int DeviceMatrices::prepare_samples() {
  if (notes_ == nullptr) {
    if (const int status = cudaMalloc(&notes_, sizeof(Notes)); status != cudaSuccess) return status;
  }
  auto& on_device = *static_cast<Notes*>(notes_);
  std::vector<Sample> samples = sample_places(problem_, sample_count);
  const std::size_t bytes = samples.size() * sizeof(Sample);
  int status = cudaMemcpy(on_device.samples, samples.data(), bytes, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) status = sum_samples(problem_, on_device.samples, samples.size());
  if (status == cudaSuccess) status = cudaMemcpy(samples.data(), on_device.samples, bytes, cudaMemcpyDeviceToHost);
  if (status == cudaSuccess) samples_ = std::move(samples);
  return status;
}

int DeviceMatrices::read_results(std::vector<float>& values, NanCount& nans) const {
  auto& on_device = *static_cast<Notes*>(notes_);
  nans = {.count = 0, .first = std::numeric_limits<std::uint64_t>::max()};
  values.resize(samples_.size());
  int status = cudaMemcpy(&on_device.nans, &nans, sizeof nans, cudaMemcpyHostToDevice);
  if (status == cudaSuccess) status = count_nans(problem_, &on_device.nans);
  if (status == cudaSuccess) {
    status = gather_samples(problem_, on_device.samples, samples_.size(), on_device.values);
  }
  if (status == cudaSuccess) status = cudaMemcpy(&nans, &on_device.nans, sizeof nans, cudaMemcpyDeviceToHost);
  if (status != cudaSuccess) return status;
  return cudaMemcpy(values.data(), on_device.values, values.size() * sizeof(float), cudaMemcpyDeviceToHost);
}

// Once a problem: what float64 says does not depend on who is judged.
int DeviceMatrices::prepare_exact() {
  const std::int64_t elements = problem_.m * problem_.n * problem_.batch;
  void* memory = nullptr;
  cudaFree(std::exchange(exact_, nullptr));
  int status = cudaMalloc(&memory, static_cast<std::size_t>(elements) * sizeof(ExactElement));
  exact_ = memory;
  if (status == cudaSuccess) status = sum_exactly(problem_, static_cast<ExactElement*>(exact_));
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  has_exact_ = status == cudaSuccess;
  return status;
}

std::optional<ErrorFigures> DeviceMatrices::errors(std::string& complaint) {
  void* memory = nullptr;
  std::vector<ErrorSums> sums(error_sum_blocks);
  const std::size_t bytes = sums.size() * sizeof(ErrorSums);
  int status = cudaMalloc(&memory, bytes);
  const DeviceMemory owned(memory);
  if (status == cudaSuccess) status = cudaDeviceSynchronize();
  if (status == cudaSuccess && !has_exact_) status = prepare_exact();
  if (status == cudaSuccess) {
    status = sum_errors(problem_, static_cast<const ExactElement*>(exact_), static_cast<ErrorSums*>(memory));
  }
  if (status == cudaSuccess) status = cudaMemcpy(sums.data(), memory, bytes, cudaMemcpyDeviceToHost);
  if (status == cudaSuccess) return figures_of(sums);
  complaint = "the result cannot be compared with float64: " + text_of(status);
  return std::nullopt;
}

Judgement DeviceMatrices::judge(Accuracy accuracy) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  int status = cudaDeviceSynchronize();
  if (status != cudaSuccess) return {"failed: " + text_of(status), unknown};
  std::vector<float> values;
  NanCount nans;
  if (samples_.empty()) status = prepare_samples();
  if (status == cudaSuccess) status = read_results(values, nans);
  if (status != cudaSuccess) return {"cannot be checked: " + text_of(status), unknown};
  return judge_samples(problem_, samples_, values, nans, accuracy);
}

}  // namespace ladder::bench
