// SPDX-License-Identifier: MIT
// A batch in one launch on the GPU: bit for bit what its products give one by one.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "gpu_kernels.hpp"

namespace ladder::test {

namespace {

/// `count` floats in GPU memory.
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<float>& values) : count_(values.size()) {
    REQUIRE(cudaMalloc(&memory_, count_ * sizeof(float)) == cudaSuccess);
    REQUIRE(cudaMemcpy(memory_, values.data(), count_ * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { cudaFree(memory_); }

  float* data() const { return static_cast<float*>(memory_); }

  std::vector<float> values() const {
    std::vector<float> host(count_);
    REQUIRE(cudaMemcpy(host.data(), memory_, count_ * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess);
    return host;
  }

 private:
  std::size_t count_;
  void* memory_ = nullptr;
};

std::vector<float> random_values(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = distribution(generator);
  return values;
}

struct Size {
  std::int64_t m, n, k, batch;
};

void check_batch(const Kernel& kernel, const Size& size, Op op_a, Op op_b) {
  INFO(kernel.name);
  GemmProblem p;
  p.op_a = op_a;
  p.op_b = op_b;
  p.m = size.m;
  p.n = size.n;
  p.k = size.k;
  p.alpha.value = 0.7f;
  p.beta.value = 1.3f;
  p.lda = op_a == Op::none ? p.m : p.k;
  p.ldb = op_b == Op::none ? p.k : p.n;
  p.ldc = p.m;
  p.batch = size.batch;
  // One float more keeps neighbours apart, and all but one in four off a 16-byte boundary. B is shared. One product
  // more than the batch has is what a block too many would compute.
  p.stride_a = p.m * p.k + 1;
  p.stride_c = p.m * p.n + 1;
  const DeviceArray a(random_values(p.stride_a * (size.batch + 1), 1)), b(random_values(p.k * p.n, 2));
  const std::vector<float> before = random_values(p.stride_c * (size.batch + 1), 3);
  const DeviceArray together(before), apart(before);
  p.a = a.data();
  p.b = b.data();
  p.c = together.data();
  if (kernel.launch(p, nullptr) == launch_not_supported) return;
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  for (std::int64_t product = 0; product < size.batch; ++product) {
    GemmProblem one = p;
    one.a += product * p.stride_a;
    one.c = apart.data() + product * p.stride_c;
    one.batch = 1;
    REQUIRE(kernel.launch(one, nullptr) == launch_ok);
  }
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(together.values() == apart.values());
  CHECK(together.values() != before);
}

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("a batch gives the bits of its products one by one") {
    constexpr Op ops[] = {Op::none, Op::transpose};
    for (const Kernel& kernel : gpu_kernels()) {
      for (const Op op_a : ops) {
        for (const Op op_b : ops) {
          check_batch(kernel, {kernel.tile.bm + 1, kernel.tile.bn / 2 + 1, kernel.tile.bk + 3, 5}, op_a, op_b);
          check_batch(kernel, {kernel.tile.bm, kernel.tile.bn, kernel.tile.bk, 5}, op_a, op_b);
        }
      }
    }
  }

  TEST_CASE("a batch that does not fill its last layer of blocks") {
    constexpr std::int64_t more_than_one_layer = 65537;
    for (const Kernel& kernel : gpu_kernels()) {
      check_batch(kernel, {2, 3, 4, more_than_one_layer}, Op::none, Op::none);
    }
  }
}

}  // namespace ladder::test
