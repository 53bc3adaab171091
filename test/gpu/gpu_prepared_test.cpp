// SPDX-License-Identifier: MIT
// Operands that are kept as planes, on the GPU: the same bits as without, plainly and in a graph, whatever their
// values.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <limits>

#include "captured.hpp"
#include "prepared_planes.hpp"

namespace ladder::test {

namespace {

/// While it lives, A is kept.
class KeptA {
 public:
  explicit KeptA(const GemmProblem& p) {
    const PreparedOperand a{p.a, p.m, p.k, p.lda, p.op_a == Op::transpose};
    REQUIRE(gpu::prepare(a, nullptr, prepared_) == launch_ok);
  }
  KeptA(const KeptA&) = delete;
  KeptA& operator=(const KeptA&) = delete;
  ~KeptA() { gpu::release(prepared_); }

 private:
  Prepared prepared_;
};

/// A is full of NaN on the GPU while it lives.
class ForgottenA {
 public:
  explicit ForgottenA(OnGpu& on_gpu) : on_gpu_(on_gpu) {
    REQUIRE(on_gpu.device.a.forget(nullptr) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }
  ForgottenA(const ForgottenA&) = delete;
  ForgottenA& operator=(const ForgottenA&) = delete;
  ~ForgottenA() { on_gpu_.send_inputs(); }

 private:
  OnGpu& on_gpu_;
};

bool keeps_operands(const Kernel& kernel) { return is_as_good_as_fp32(kernel.precision()); }

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("a prepared operand gives the same bits without being read, in a graph too") {
    const OwnStream stream;
    for (const Op op_a : {Op::none, Op::transpose}) {
      OnGpu on_gpu({.shape = {515, 390, 709}, .op_a = op_a, .op_b = Op::none, .lines = Lines::odd});
      for (const Kernel& kernel : gpu_tensor_kernels()) {
        if (!keeps_operands(kernel) || !kernel.runs(on_gpu.problem())) continue;
        INFO(kernel.name());
        const Matrix due = on_gpu.result_of(kernel);
        const KeptA kept(on_gpu.problem());
        const ForgottenA forgotten(on_gpu);
        CHECK(on_gpu.result_of(kernel).same_bits(due));
        const Graph graph(stream, [&] { return kernel.launch()(on_gpu.problem(), stream.get()); });
        for (int replay = 0; replay < 3; ++replay) {
          REQUIRE(on_gpu.device.c.forget(stream.get()) == cudaSuccess);
          graph.launch(stream);
          CHECK(on_gpu.fetch().same_bits(due));
        }
      }
    }
  }

  TEST_CASE("a prepared operand that does not suit the tensor cores is handed on") {
    for (const float value : {std::numeric_limits<float>::infinity(), 0x1p60f}) {
      OnGpu on_gpu({.shape = {300, 257, 331}, .op_a = Op::transpose});
      on_gpu.operands.a.at(330, 299) = value;
      on_gpu.send_inputs();
      for (const Kernel& kernel : gpu_tensor_kernels()) {
        if (!keeps_operands(kernel) || !kernel.runs(on_gpu.problem())) continue;
        INFO(kernel.name());
        const Matrix due = on_gpu.result_of(kernel);
        const KeptA kept(on_gpu.problem());
        CHECK(on_gpu.result_of(kernel).same_bits(due));
      }
    }
  }
}

}  // namespace ladder::test
