// SPDX-License-Identifier: MIT
// What launches on tensor cores leave to each other: memory for planes, and facts about the values of a problem; and
// the order of a sum.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "captured.hpp"
#include "gpu_reference.hpp"
#include "support/batch_case.hpp"

namespace ladder::test {

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

/// A problem on random numbers, with its A made unfit for the tensor cores at times.
struct Changing : OnGpu {
  using OnGpu::OnGpu;

  /// One element of A in device memory, which is not what it is on the host any more until it is `good` again.
  void put(float value) { REQUIRE(cudaMemcpy(place(), &value, sizeof value, cudaMemcpyHostToDevice) == cudaSuccess); }
  void put_good() { put(operands.a.at(1, 1)); }

 private:
  float* place() const { return device.a.data() + 1 + operands.a.ld(); }
};

constexpr Case changing{.shape = {519, 387, 705}, .op_a = Op::none, .op_b = Op::transpose};

/// The first NaN of a result that should have a row of them, row 1.
bool has_bad_row(const Matrix& result) {
  for (std::int64_t j = 0; j < result.columns(); ++j) {
    for (std::int64_t i = 0; i < result.rows(); ++i) {
      if (std::isnan(result.at(i, j)) != (i == 1)) return false;
    }
  }
  return true;
}

/// Products of three sizes on one stream, one after the other, none waited for.
void check_sizes_in_a_row(const Kernel& kernel, const OwnStream& stream) {
  constexpr Shape sizes[] = {{300, 200, 333}, {1500, 1100, 1700}, {290, 210, 345}, {1510, 1090, 1690}};
  std::vector<std::unique_ptr<OnGpu>> problems;
  std::vector<Matrix> due;
  for (const Shape& size : sizes) {
    problems.push_back(std::make_unique<OnGpu>(split_case(size, Op::transpose, true)));
    due.push_back(problems.back()->result_of(rung_1()));
    REQUIRE(problems.back()->device.c.forget(stream.get()) == cudaSuccess);
  }
  for (const auto& problem : problems) {
    if (kernel.runs(problem->problem())) REQUIRE(kernel.launch()(problem->problem(), stream.get()) == launch_ok);
  }
  stream.wait();
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (kernel.runs(problems[i]->problem())) CHECK(problems[i]->fetch().same_bits(due[i]));
  }
}

/// The whole problem as a batch along the columns of B and C, with addresses a stride apart or in arrays.
class AsBatch {
 public:
  AsBatch(const GemmProblem& whole, std::int64_t products, bool in_arrays) : problem(whole) {
    problem.batch = products;
    problem.n = whole.n / products;
    problem.stride_b = problem.n * whole.ldb;
    problem.stride_c = problem.n * whole.ldc;
    if (!in_arrays) return;
    std::vector<float*> addresses;
    for (std::int64_t i = 0; i < products; ++i) addresses.push_back(const_cast<float*>(whole.a));
    for (std::int64_t i = 0; i < products; ++i) addresses.push_back(const_cast<float*>(whole.b) + i * problem.stride_b);
    for (std::int64_t i = 0; i < products; ++i) addresses.push_back(whole.c + i * problem.stride_c);
    const std::size_t bytes = addresses.size() * sizeof(float*);
    REQUIRE(cudaMalloc(&arrays_, bytes) == cudaSuccess);
    REQUIRE(cudaMemcpy(arrays_, addresses.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess);
    problem.a_array = static_cast<const float**>(arrays_);
    problem.b_array = static_cast<const float**>(arrays_) + products;
    problem.c_array = static_cast<float**>(arrays_) + 2 * products;
    problem = without_strides(problem);
  }
  AsBatch(const AsBatch&) = delete;
  AsBatch& operator=(const AsBatch&) = delete;
  ~AsBatch() { cudaFree(arrays_); }

  GemmProblem problem;

 private:
  void* arrays_ = nullptr;
};

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("memory for planes grows while it is in use") {
    for (const Kernel& kernel : gpu_tensor_rungs()) {
      INFO(kernel.name());
      const OwnStream stream;
      check_sizes_in_a_row(kernel, stream);
      check_sizes_in_a_row(kernel, stream);
    }
  }

  TEST_CASE("a problem that is out of range leaves nothing behind for the next one") {
    Changing on_gpu(changing);
    for (const Kernel& kernel : gpu_tensor_kernels()) {
      if (!kernel.runs(on_gpu.problem())) continue;
      INFO(kernel.name());
      const Matrix good = on_gpu.result_of(kernel);
      CHECK(!has_bad_row(good));
      for (int round = 0; round < 3; ++round) {
        on_gpu.put(no_number);
        CHECK(has_bad_row(on_gpu.result_of(kernel)));
        on_gpu.put(0x1p40f);  // too far from its neighbours for two planes of fp16
        on_gpu.result_of(kernel);
        on_gpu.put_good();
        CHECK(on_gpu.result_of(kernel).same_bits(good));
      }
    }
  }

  TEST_CASE("values that arrive after a capture decide at each replay") {
    Changing on_gpu(changing);
    const OwnStream stream;
    for (const Kernel& kernel : gpu_tensor_kernels()) {
      if (!kernel.runs(on_gpu.problem())) continue;
      INFO(kernel.name());
      const Matrix good = on_gpu.result_of(kernel);
      const Graph graph(stream, [&] { return kernel.launch()(on_gpu.problem(), stream.get()); });
      for (int round = 0; round < 3; ++round) {
        for (const bool is_bad : {true, false}) {
          is_bad ? on_gpu.put(no_number) : on_gpu.put_good();
          REQUIRE(on_gpu.device.c.forget(stream.get()) == cudaSuccess);
          graph.launch(stream);
          const Matrix& result = on_gpu.fetch();
          CHECK((is_bad ? has_bad_row(result) : result.same_bits(good)));
        }
      }
    }
  }

  TEST_CASE("one product of a batch that is out of range spoils no other") {
    constexpr std::int64_t products = 3;
    Operands operands({.shape = {300, 3 * 130, 333}, .op_a = Op::transpose, .lines = Lines::odd});
    operands.b.at(5, 2 * 130 + 1) = no_number;
    const Reference reference(operands);
    OnGpu on_gpu(operands.how);
    on_gpu.operands.b = operands.b;
    on_gpu.send_inputs();
    for (const bool in_arrays : {false, true}) {
      const AsBatch batch(on_gpu.problem(), products, in_arrays);
      for (const Kernel& kernel : gpu_tensor_kernels()) {
        if (!kernel.runs(batch.problem)) continue;
        INFO(kernel.name());
        REQUIRE(on_gpu.device.c.forget(nullptr) == cudaSuccess);
        REQUIRE(kernel.launch()(batch.problem, nullptr) == launch_ok);
        CHECK(wrong_elements(on_gpu.fetch(), reference.expected(kernel.precision())) == 0);
      }
    }
  }

  TEST_CASE("asked for sums in one order, a kernel gives an element's bits whatever the extents are") {
    const Case whole{.shape = {640, 900, 4100}, .op_a = Op::none, .op_b = Op::transpose, .lines = Lines::odd};
    OnGpu on_gpu(whole);
    const PlainSums asked;
    for (const Kernel& kernel : gpu_tensor_kernels()) {
      GemmProblem part = on_gpu.problem();
      part.m = 131;
      part.n = 259;
      if (!kernel.runs(on_gpu.problem()) || !kernel.runs(part)) continue;
      INFO(kernel.name());
      const Matrix all = on_gpu.result_of(kernel);
      REQUIRE(on_gpu.device.c.forget(nullptr) == cudaSuccess);
      REQUIRE(kernel.launch()(part, nullptr) == launch_ok);
      const Matrix& some = on_gpu.fetch();
      std::int64_t different = 0;
      for (std::int64_t j = 0; j < part.n; ++j) {
        for (std::int64_t i = 0; i < part.m; ++i) different += bits_of(some.at(i, j)) != bits_of(all.at(i, j));
      }
      CHECK(different == 0);
    }
  }
}

}  // namespace ladder::test
