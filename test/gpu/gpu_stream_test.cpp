// SPDX-License-Identifier: MIT
// Blocks that hand each other partial sums, at sizes that fill the GPU: the same bits each time, captured in a graph,
// on two streams at once, and on more streams than have scratch memory.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "gpu_kernels.hpp"
#include "support/device_problem.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

/// Few tiles and a deep k; a square that cannot fill the GPU; a few columns; both.
constexpr Shape split_shapes[] = {{64, 64, 65536}, {512, 512, 512}, {4096, 8, 4096}, {768, 768, 16384}};

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

/// One launch, captured.
class Graph {
 public:
  Graph(const Kernel& kernel, const GemmProblem& problem, const OwnStream& stream) {
    REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
    const LaunchStatus launched = kernel.launch()(problem, stream.get());
    REQUIRE(cudaStreamEndCapture(stream.get(), &graph_) == cudaSuccess);
    REQUIRE(launched == launch_ok);
    REQUIRE(cudaGraphInstantiate(&executable_, graph_, 0) == cudaSuccess);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
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

Case split_case(const Shape& shape, Op op, bool exact) {
  return {.shape = shape, .op_a = op, .op_b = Op::none, .lines = Lines::tight, .exact = exact};
}

Kernel rung_1() { return Kernel(*find_rung("naive")); }

void check_replays(const Kernel& kernel, OnGpu& on_gpu, const OwnStream& stream) {
  constexpr int replays = 20;
  INFO(kernel.name());
  const Graph graph(kernel, on_gpu.problem(), stream);
  const Matrix eager = on_gpu.result_of(kernel);
  for (int replay = 0; replay < replays; ++replay) {
    REQUIRE(on_gpu.device.c.forget(stream.get()) == cudaSuccess);
    graph.launch(stream);
    stream.wait();
    CHECK(on_gpu.fetch().same_bits(eager));
  }
}

constexpr int rounds = 50;

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

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("a stream's first launch may be captured, and its replays give the bits of a launch") {
    for (const Shape& shape : split_shapes) {
      OnGpu on_gpu(split_case(shape, Op::none, false));
      check_replays(Kernel(default_rung()), on_gpu, OwnStream());
    }
  }

  TEST_CASE("captured in a graph and replayed, every kernel gives the bits of a launch") {
    const OwnStream stream;
    for (const Kernel& kernel : gpu_kernels()) {
      const TileExtents& tile = kernel.tile();
      for (const bool by_address : {false, true}) {
        OnGpu on_gpu({.shape = {tile.bm + 1, std::max(1, tile.bn - 1), 2 * tile.bk + 1},
                      .alpha = 0.7f,
                      .scalars_by_address = by_address});
        if (kernel.runs(on_gpu.problem())) check_replays(kernel, on_gpu, stream);
      }
    }
    for (const Shape& shape : split_shapes) {
      OnGpu on_gpu(split_case(shape, Op::transpose, false));
      for (const Kernel& kernel : gpu_kernels_with_blocks()) {
        if (kernel.runs(on_gpu.problem())) check_replays(kernel, on_gpu, stream);
      }
    }
  }

  TEST_CASE("sums in blocks of k give the same bits each time") {
    constexpr int times = 20;
    for (const Shape& shape : split_shapes) {
      for (const Op op : {Op::none, Op::transpose}) {
        OnGpu on_gpu(split_case(shape, op, false));
        for (const Kernel& kernel : gpu_kernels_with_blocks()) {
          if (!kernel.runs(on_gpu.problem())) continue;
          const std::string text = describe(kernel.name(), on_gpu.operands.how);
          INFO(text);
          const Matrix once = on_gpu.result_of(kernel);
          for (int again = 1; again < times; ++again) CHECK(on_gpu.result_of(kernel).same_bits(once));
        }
      }
    }
  }

  TEST_CASE("on integers every kernel gives rung 1's bits, at sizes that fill the GPU") {
    std::vector<Shape> shapes(std::begin(split_shapes), std::end(split_shapes));
    shapes.insert(shapes.end(), {{2, 2, 200003},
                                 {100003, 10, 64},
                                 {4096, 1, 4096},
                                 {1, 4097, 4095},
                                 {1000, 1000, 1000},
                                 {2049, 2047, 33},
                                 {1024, 1536, 520}});
    for (const Shape& shape : shapes) {
      for (const Op op_a : {Op::none, Op::transpose}) {
        for (const Op op_b : {Op::none, Op::transpose}) {
          OnGpu on_gpu({.shape = shape, .op_a = op_a, .op_b = op_b, .lines = Lines::tight, .exact = true});
          const Matrix due = on_gpu.result_of(rung_1());
          for (const Kernel& kernel : gpu_kernels()) {
            if (!kernel.runs(on_gpu.problem())) continue;
            const std::string text = describe(kernel.name(), on_gpu.operands.how);
            INFO(text);
            CHECK(on_gpu.result_of(kernel).same_bits(due));
          }
        }
      }
    }
  }

  TEST_CASE("two streams at once do not get into each other's sums") {
    const OwnStream streams[2];
    for (const Shape& shape : split_shapes) {
      Growing first(shape, 1), second(shape, 2);
      const Matrix due_first = first.due(), due_second = second.due();
      for (const Kernel& kernel : gpu_kernels_with_blocks()) {
        if (!kernel.runs(first.problem())) continue;
        const std::string text = describe(kernel.name(), first.operands.how);
        INFO(text);
        first.restore_c(), second.restore_c();
        for (int round = 0; round < rounds; ++round) {
          REQUIRE(kernel.launch()(first.problem(), streams[0].get()) == launch_ok);
          REQUIRE(kernel.launch()(second.problem(), streams[1].get()) == launch_ok);
        }
        CHECK(first.fetch().same_bits(due_first));
        CHECK(second.fetch().same_bits(due_second));
      }
    }
  }

  // The last: from here on no new stream has scratch memory.
  TEST_CASE("streams beyond those that have scratch memory get right results too") {
    constexpr int more_than_have_scratch = 40;
    std::vector<std::unique_ptr<OwnStream>> streams;
    for (int i = 0; i < more_than_have_scratch; ++i) streams.push_back(std::make_unique<OwnStream>());
    for (const Shape& shape : {split_shapes[0], split_shapes[1]}) {
      OnGpu on_gpu(split_case(shape, Op::none, true));
      const Matrix due = on_gpu.result_of(rung_1());
      for (const Kernel& kernel : gpu_kernels_with_blocks()) {
        if (!kernel.runs(on_gpu.problem())) continue;
        INFO(kernel.name());
        for (const std::unique_ptr<OwnStream>& stream : streams) {
          REQUIRE(on_gpu.device.c.forget(stream->get()) == cudaSuccess);
          REQUIRE(kernel.launch()(on_gpu.problem(), stream->get()) == launch_ok);
          CHECK(on_gpu.fetch().same_bits(due));
        }
      }
    }
  }
}

// One launch of every kind of division: compute-sanitizer slows a kernel down a hundredfold.
TEST_SUITE("sanitize") {
  TEST_CASE("sums in blocks of k, in two levels of parts too") {
    for (const Shape& shape : {Shape{32, 32, 8192}, Shape{96, 80, 2048}, Shape{512, 4, 2048}, Shape{3, 500, 1031}}) {
      OnGpu on_gpu(split_case(shape, Op::none, true));
      const Matrix due = on_gpu.result_of(rung_1());
      for (const Kernel& kernel : gpu_kernels_with_blocks()) {
        if (!kernel.runs(on_gpu.problem())) continue;
        INFO(kernel.name());
        CHECK(on_gpu.result_of(kernel).same_bits(due));
      }
    }
  }
}

}  // namespace ladder::test
