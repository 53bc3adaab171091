// SPDX-License-Identifier: MIT
// A problem whose operands do not fit into the memory that the library keeps for them on tensor cores: it is cut.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "captured.hpp"

namespace ladder::test {

namespace {

/// Memory of the GPU, full of NaN.
class DeviceFloats {
 public:
  explicit DeviceFloats(std::size_t count) {
    if (cudaMalloc(&memory_, count * sizeof(float)) != cudaSuccess) static_cast<void>(cudaGetLastError());
    if (memory_ != nullptr) REQUIRE(cudaMemset(memory_, 0xff, count * sizeof(float)) == cudaSuccess);
  }
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;
  ~DeviceFloats() { cudaFree(memory_); }

  float* data() const { return static_cast<float*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// A product of so many rows of op(A) that their planes take more than the library keeps for a stream: a block of rows,
/// over and over.
class TallProduct {
 public:
  static constexpr std::int64_t block = 16384, n = 128, k = 640;

  TallProduct()
      : m_(rows()),
        block_({.shape = {block, n, k}, .op_a = Op::transpose, .lines = Lines::tight, .exact = true}),
        a_(static_cast<std::size_t>(m_ * k)),
        c_(static_cast<std::size_t>(m_ * n)) {
    if (!fits()) return;
    for (std::int64_t row = 0; row < m_; row += block) {
      const auto bytes = static_cast<std::size_t>(std::min(block, m_ - row) * k) * sizeof(float);
      REQUIRE(cudaMemcpy(a_.data() + row * k, block_.device.a.data(), bytes, cudaMemcpyDeviceToDevice) == cudaSuccess);
    }
  }

  bool fits() const { return a_.data() != nullptr && c_.data() != nullptr; }

  GemmProblem problem() const {
    GemmProblem p = block_.problem();
    p.m = m_;
    p.a = a_.data();
    p.c = c_.data();
    p.ldc = m_;
    return p;
  }

  /// Some blocks of rows, those at the ends and on both sides of the middle and the quarters, are what they should be.
  void check(const Kernel& kernel) {
    const Matrix due = block_.result_of(rung_1());
    REQUIRE(cudaMemset(c_.data(), 0xff, static_cast<std::size_t>(m_ * n) * sizeof(float)) == cudaSuccess);
    REQUIRE(kernel.launch()(problem(), nullptr) == launch_ok);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    for (std::int64_t quarter = 0; quarter <= 4; ++quarter) {
      const std::int64_t middle = m_ * quarter / 4 / block * block;
      for (const std::int64_t row : {middle - block, middle, middle + block}) {
        if (row >= 0 && row + block <= m_) CHECK(block_at(row).same_bits(due));
      }
    }
    const std::int64_t last = m_ / block * block;
    for (std::int64_t j = 0; j < n; ++j) CHECK(element(m_ - 1, j) == due.at(m_ - 1 - last, j));
  }

 private:
  /// A tenth more than fits into a sixteenth of the device's memory at four bytes an element; no multiple of the block.
  static std::int64_t rows() {
    std::size_t available = 0, total = 0;
    REQUIRE(cudaMemGetInfo(&available, &total) == cudaSuccess);
    const double elements = 1.1 * static_cast<double>(total) / 16 / 4;
    return static_cast<std::int64_t>(elements) / k / block * block + 4321;
  }

  Matrix block_at(std::int64_t row) const {
    Matrix seen = block_.operands.c;
    REQUIRE(cudaMemcpy2D(seen.data(), static_cast<std::size_t>(seen.ld()) * sizeof(float), c_.data() + row,
                         static_cast<std::size_t>(m_) * sizeof(float), block * sizeof(float), n,
                         cudaMemcpyDeviceToHost) == cudaSuccess);
    return seen;
  }

  float element(std::int64_t row, std::int64_t column) const {
    float value = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(cudaMemcpy(&value, c_.data() + row + column * m_, sizeof value, cudaMemcpyDeviceToHost) == cudaSuccess);
    return value;
  }

  std::int64_t m_;
  OnGpu block_;
  DeviceFloats a_, c_;
};

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("a problem whose planes are too many is cut, and right") {
    TallProduct tall;
    if (!tall.fits()) {
      MESSAGE("this GPU has no room for the problem");
      return;
    }
    for (const Kernel& kernel : gpu_tensor_rungs()) {
      INFO(kernel.name());
      REQUIRE(kernel.runs(tall.problem()));
      tall.check(kernel);
    }
  }
}

}  // namespace ladder::test
