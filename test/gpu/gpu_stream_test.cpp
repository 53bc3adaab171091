// SPDX-License-Identifier: MIT
// Blocks that hand each other partial sums, at sizes that fill the GPU: the same bits each time, on two streams at
// once, and on more streams than have scratch memory.
#include <memory>
#include <vector>

#include "captured.hpp"

namespace ladder::test {

namespace {

/// Launches into a C of NaN. False where there was no memory for the planes that a kernel on tensor cores needs.
bool launch_if_there_is_memory(const Kernel& kernel, OnGpu& on_gpu, const OwnStream& stream) {
  REQUIRE(on_gpu.device.c.forget(stream.get()) == cudaSuccess);
  const LaunchStatus status = kernel.launch()(on_gpu.problem(), stream.get());
  if (uses_tensor_cores(kernel.precision()) && status == launch_no_memory) return false;
  REQUIRE(status == launch_ok);
  return true;
}

void check_rung_1s_bits(const std::vector<Kernel>& kernels, const Shape& shape) {
  OnGpu on_gpu(split_case(shape, Op::none, true));
  const Matrix due = on_gpu.result_of(rung_1());
  for (const Kernel& kernel : kernels) {
    if (!kernel.runs(on_gpu.problem())) continue;
    INFO(kernel.name());
    CHECK(on_gpu.result_of(kernel).same_bits(due));
  }
}

}  // namespace

TEST_SUITE("rungs") {
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
    for_pairs([&](const Kernel& kernel, const GemmProblem& first, const GemmProblem& second) {
      for (int round = 0; round < rounds; ++round) {
        REQUIRE(kernel.launch()(first, streams[0].get()) == launch_ok);
        REQUIRE(kernel.launch()(second, streams[1].get()) == launch_ok);
      }
    });
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
          if (launch_if_there_is_memory(kernel, on_gpu, *stream)) CHECK(on_gpu.fetch().same_bits(due));
        }
      }
    }
  }
}

// One launch of every kind of division: compute-sanitizer slows a kernel down a hundredfold.
TEST_SUITE("sanitize") {
  TEST_CASE("sums in blocks of k, in two levels of parts too") {
    for (const Shape& shape : {Shape{32, 32, 8192}, Shape{96, 80, 2048}, Shape{512, 4, 2048}, Shape{3, 500, 1031}})
      check_rung_1s_bits(gpu_fma_kernels_with_blocks(), shape);
  }

  TEST_CASE("sums on tensor cores, cut along k") {
    for (const Shape& shape : {Shape{96, 80, 2048}, Shape{3, 500, 1031}})
      check_rung_1s_bits(gpu_tensor_kernels(), shape);
  }
}

}  // namespace ladder::test
