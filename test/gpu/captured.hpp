// SPDX-License-Identifier: MIT
// Streams, captured graphs and problems on the GPU, for tests of blocks that hand each other partial sums.
#pragma once

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <cstdint>

#include "gpu_kernels.hpp"
#include "support/device_problem.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

/// Few tiles and a deep k; a square that cannot fill the GPU; a few columns; both.
inline constexpr Shape split_shapes[] = {{64, 64, 65536}, {512, 512, 512}, {4096, 8, 4096}, {768, 768, 16384}};

class OwnStream {
 public:
  OwnStream() { REQUIRE(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking) == cudaSuccess); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }

  cudaStream_t get() const { return stream_; }
  void wait() const { REQUIRE(cudaStreamSynchronize(stream_) == cudaSuccess); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// What `record` launches, captured on a stream. It returns the status of the first launch that failed.
class Graph {
 public:
  template <class Record>
  Graph(const OwnStream& stream, const Record& record, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    REQUIRE(cudaStreamBeginCapture(stream.get(), mode) == cudaSuccess);
    const LaunchStatus launched = record();
    REQUIRE(cudaStreamEndCapture(stream.get(), &graph_) == cudaSuccess);
    REQUIRE(launched == launch_ok);
    REQUIRE(cudaGraphInstantiate(&executable_, graph_, 0) == cudaSuccess);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    keep_executable_only();
  }

  void keep_executable_only() {
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    graph_ = nullptr;
  }

  void launch(const OwnStream& stream) const { REQUIRE(cudaGraphLaunch(executable_, stream.get()) == cudaSuccess); }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

/// A problem in host memory and on the GPU. What was written outside C shows in the end.
struct OnGpu {
  explicit OnGpu(const Case& c) : operands(c), result(operands.c), device(operands.problem(result)) {
    REQUIRE(device.status() == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }

  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  ~OnGpu() { CHECK(device.fetch(result.data()) == ""); }

  const GemmProblem& problem() const { return device.problem; }

  /// C on the GPU, after everything that was enqueued.
  const Matrix& fetch() {
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
    REQUIRE(device.c.copy_to(result.data()) == cudaSuccess);
    return result;
  }

  /// What was changed of A and B in host memory.
  void send_inputs() {
    REQUIRE(device.a.write(operands.a.data()) == cudaSuccess);
    REQUIRE(device.b.write(operands.b.data()) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }

  /// For launches on any stream: a copy from pageable memory may still be under way when the call returns.
  void restore_c() {
    REQUIRE(device.c.write(operands.c.data()) == cudaSuccess);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  }

  /// The same, of one launch on the legacy default stream into a C of NaN.
  const Matrix& result_of(const Kernel& kernel) {
    REQUIRE(device.c.forget(nullptr) == cudaSuccess);
    REQUIRE(kernel.launch()(problem(), nullptr) == launch_ok);
    return fetch();
  }

  Operands operands;
  Matrix result;
  DeviceProblem device;
};

inline Case split_case(const Shape& shape, Op op, bool exact) {
  return {.shape = shape, .op_a = op, .op_b = Op::none, .lines = Lines::tight, .exact = exact};
}

inline Kernel rung_1() { return Kernel(*find_rung("naive")); }

inline constexpr int rounds = 50;

/// A problem whose C grows by alpha op(A) op(B) with every launch, exactly.
struct Growing : OnGpu {
  Growing(const Shape& shape, std::uint32_t seed)
      : OnGpu({.shape = shape, .beta = 1.0f, .lines = Lines::tight, .exact = true, .seed = seed}) {
    operands.c.fill(1.0f);
    restore_c();
  }

  /// What C is after all rounds: rung 1, once, with an alpha that counts them.
  Matrix due() {
    GemmProblem all = problem();
    all.alpha.value = rounds;
    REQUIRE(rung_1().launch()(all, nullptr) == launch_ok);
    return fetch();
  }
};

/// Calls check(kernel, first, second) with two growing problems that a kernel with parts runs, for each such kernel.
template <class Check>
void for_pairs(const Check& check) {
  for (const Shape& shape : split_shapes) {
    Growing first(shape, 1), second(shape, 2);
    const Matrix due_first = first.due(), due_second = second.due();
    for (const Kernel& kernel : gpu_kernels_with_blocks()) {
      if (!kernel.runs(first.problem())) continue;
      const std::string text = describe(kernel.name(), first.operands.how);
      INFO(text);
      first.restore_c(), second.restore_c();
      check(kernel, first.problem(), second.problem());
      CHECK(first.fetch().same_bits(due_first));
      CHECK(second.fetch().same_bits(due_second));
    }
  }
}

}  // namespace ladder::test
