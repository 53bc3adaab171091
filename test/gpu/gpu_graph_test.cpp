// SPDX-License-Identifier: MIT
// Captured graphs: every kernel replayed, several graphs at once, and whose scratch memory is whose.
#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "captured.hpp"
#include "scratch.hpp"

namespace ladder::test {

namespace {

constexpr cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                           cudaStreamCaptureModeRelaxed};
constexpr int launches = 5;  // in each graph of growing problems
constexpr std::chrono::milliseconds a_moment(20);

LaunchStatus first_failure(LaunchStatus first, LaunchStatus second) { return first == launch_ok ? second : first; }

void check_replays(const Kernel& kernel, OnGpu& on_gpu, const OwnStream& stream,
                   cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
  constexpr int replays = 20;
  INFO(kernel.name());
  const Graph graph(
      stream, [&] { return kernel.launch()(on_gpu.problem(), stream.get()); }, mode);
  const Matrix eager = on_gpu.result_of(kernel);
  for (int replay = 0; replay < replays; ++replay) {
    REQUIRE(on_gpu.device.c.forget(stream.get()) == cudaSuccess);
    graph.launch(stream);
    stream.wait();
    CHECK(on_gpu.fetch().same_bits(eager));
  }
}

/// Some launches of a problem on a stream, as a Graph records them.
auto several(const Kernel& kernel, const GemmProblem& problem, const OwnStream& stream) {
  return [&kernel, problem, on = stream.get()] {
    LaunchStatus status = launch_ok;
    for (int i = 0; i < launches; ++i) status = first_failure(status, kernel.launch()(problem, on));
    return status;
  };
}

/// A graph of nothing but its scratch memory.
struct Holding {
  Holding(const OwnStream& stream, std::int64_t floats)
      : graph(stream, [&] { return scratch = gpu::scratch_of(stream.get(), floats), launch_ok; }) {}

  Scratch scratch;
  Graph graph;
};

/// True once a graph that is captured from now on gets that memory: CUDA tells a graph's end when it likes.
bool comes_back(const OwnStream& stream, const Scratch& scratch, std::int64_t floats) {
  constexpr int times = 100;
  std::vector<std::unique_ptr<Holding>> others;
  for (int i = 0; i < times; ++i) {
    others.push_back(std::make_unique<Holding>(stream, floats));
    if (others.back()->scratch.parts == scratch.parts) return true;
    std::this_thread::sleep_for(a_moment);
  }
  return false;
}

/// Graphs that hold all the scratch memory that there is for graphs, what others are just leaving behind included.
std::vector<std::unique_ptr<Holding>> hold_all(const OwnStream& stream) {
  constexpr std::size_t more_than_fit = 10000;
  std::vector<std::unique_ptr<Holding>> all;
  for (bool has_more = true; has_more;) {
    has_more = false;
    for (const std::int64_t floats : {scratch_floats, std::int64_t{1}}) {
      for (;;) {
        auto next = std::make_unique<Holding>(stream, floats);
        if (next->scratch.parts == nullptr) break;
        all.push_back(std::move(next));
        has_more = true;
        REQUIRE(all.size() < more_than_fit);
      }
    }
    std::this_thread::sleep_for(a_moment);
  }
  return all;
}

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("a stream's first launch may be captured in any mode, and its replays give the bits of a launch") {
    std::vector<Kernel> kernels = gpu_tensor_rungs();
    kernels.emplace_back(default_rung());
    for (const cudaStreamCaptureMode mode : modes) {
      for (const Shape& shape : split_shapes) {
        OnGpu on_gpu(split_case(shape, Op::none, false));
        for (const Kernel& kernel : kernels) {
          if (kernel.runs(on_gpu.problem())) check_replays(kernel, on_gpu, OwnStream(), mode);
        }
      }
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

  TEST_CASE("two graphs captured on one stream and replayed at once do not get into each other's sums") {
    const OwnStream captured_on, streams[2];
    for_pairs([&](const Kernel& kernel, const GemmProblem& first, const GemmProblem& second) {
      const Graph graphs[2] = {{captured_on, several(kernel, first, captured_on)},
                               {captured_on, several(kernel, second, captured_on)}};
      for (int round = 0; round < rounds; round += launches) {
        for (int i = 0; i < 2; ++i) graphs[i].launch(streams[i]);
      }
      for (const OwnStream& stream : streams) stream.wait();
    });
  }

  TEST_CASE("a graph may be replayed beside other work of the stream that it was captured on") {
    const OwnStream captured_on, other;
    for_pairs([&](const Kernel& kernel, const GemmProblem& first, const GemmProblem& second) {
      const Graph graph(captured_on, several(kernel, first, captured_on));
      for (int round = 0; round < rounds; round += launches) {
        graph.launch(other);
        REQUIRE(several(kernel, second, captured_on)() == launch_ok);
      }
      for (const OwnStream* stream : {&captured_on, &other}) stream->wait();
    });
  }

  TEST_CASE("branches of one graph do not get into each other's sums") {
    const OwnStream trunk, branch;
    cudaEvent_t forked = nullptr, joined = nullptr;
    for (cudaEvent_t* event : {&forked, &joined})
      REQUIRE(cudaEventCreateWithFlags(event, cudaEventDisableTiming) == cudaSuccess);
    for_pairs([&](const Kernel& kernel, const GemmProblem& first, const GemmProblem& second) {
      const Graph graph(trunk, [&] {
        REQUIRE(cudaEventRecord(forked, trunk.get()) == cudaSuccess);
        REQUIRE(cudaStreamWaitEvent(branch.get(), forked, 0) == cudaSuccess);
        const LaunchStatus status = first_failure(several(kernel, first, trunk)(), several(kernel, second, branch)());
        REQUIRE(cudaEventRecord(joined, branch.get()) == cudaSuccess);
        REQUIRE(cudaStreamWaitEvent(trunk.get(), joined, 0) == cudaSuccess);
        return status;
      });
      for (int round = 0; round < rounds; round += launches) graph.launch(trunk);
      trunk.wait();
    });
    for (cudaEvent_t event : {forked, joined}) cudaEventDestroy(event);
  }

  TEST_CASE("a graph has scratch memory of its own, and its launches share it") {
    const OwnStream stream;
    constexpr std::int64_t floats = 1 << 20;
    const Scratch of_stream = gpu::scratch_of(stream.get(), floats);
    Scratch first, again, larger, smaller;
    const Graph graph(stream, [&] {
      first = gpu::scratch_of(stream.get(), floats);
      again = gpu::scratch_of(stream.get(), floats);
      larger = gpu::scratch_of(stream.get(), 4 * floats);
      smaller = gpu::scratch_of(stream.get(), 1);
      return launch_ok;
    });
    const Holding other(stream, floats);
    for (const Scratch& scratch : {of_stream, first, larger, other.scratch}) REQUIRE(scratch.parts != nullptr);
    CHECK(first.parts == again.parts);
    // An earlier graph may have left a piece that is large enough for all of them.
    CHECK((smaller.parts == first.parts || smaller.parts == larger.parts));
    for (const Scratch& scratch : {of_stream, first, larger}) CHECK(other.scratch.parts != scratch.parts);
    CHECK(first.parts != of_stream.parts);
    CHECK(gpu::scratch_of(stream.get(), floats).parts == of_stream.parts);
  }

  TEST_CASE("a graph's scratch memory is the next one's once its last executable is gone") {
    const OwnStream stream;
    auto holding = std::make_unique<Holding>(stream, scratch_floats);
    const Scratch scratch = holding->scratch;
    REQUIRE(scratch.parts != nullptr);
    holding->graph.keep_executable_only();
    const Holding meanwhile(stream, scratch_floats);
    CHECK(meanwhile.scratch.parts != scratch.parts);
    holding.reset();
    CHECK(comes_back(stream, scratch, scratch_floats));
  }

  TEST_CASE("graphs beyond those that have scratch memory give right results too") {
    const OwnStream stream;
    const auto held = hold_all(stream);
    for (const Shape& shape : split_shapes) {
      OnGpu on_gpu(split_case(shape, Op::none, true));
      const Matrix due = on_gpu.result_of(rung_1());
      for (const Kernel& kernel : gpu_kernels_with_blocks()) {
        if (!kernel.runs(on_gpu.problem())) continue;
        INFO(kernel.name());
        const Graph graph(stream, [&] {
          CHECK(gpu::scratch_of(stream.get(), 1).parts == nullptr);
          return kernel.launch()(on_gpu.problem(), stream.get());
        });
        REQUIRE(on_gpu.device.c.forget(stream.get()) == cudaSuccess);
        graph.launch(stream);
        CHECK(on_gpu.fetch().same_bits(due));
      }
    }
  }
}

}  // namespace ladder::test
