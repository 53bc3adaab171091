// SPDX-License-Identifier: MIT
// Every rung and every configuration on the GPU: against float64, against cuBLAS, and bit for bit against the emulator
// or, on tensor cores, against itself.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gpu_reference.hpp"
#include "support/config_cases.hpp"

namespace ladder::test {

namespace {

constexpr Op ops[] = {Op::none, Op::transpose};

// The options that a case takes in turn; their numbers have no common divisor, so that all pairs come up.
Case varied(const Shape& shape, Op op_a, Op op_b, std::size_t turn) {
  constexpr float alphas[] = {1.0f, 0.7f, -1.0f, 0.0f, 2.5f};
  constexpr float betas[] = {0.0f, -1.3f, 1.0f, 0.7f};
  return {.shape = shape,
          .op_a = op_a,
          .op_b = op_b,
          .alpha = alphas[turn % std::size(alphas)],
          .beta = betas[turn % std::size(betas)],
          .lines = static_cast<Lines>(turn % 3),
          .shift = turn % 7 < 4 ? 0 : 1,
          .scalars_by_address = turn % 11 < 4,
          .seed = static_cast<std::uint32_t>(turn)};
}

/// Shapes at the edges of one tile, fewer than the emulator's suite runs.
std::vector<Shape> edge_shapes(const TileExtents& tile) {
  std::vector<Shape> shapes = shapes_of(tile, Effort::small);
  shapes.push_back({2 * tile.bm, 2 * tile.bn, 4 * tile.bk});
  shapes.push_back({2 * tile.bm - 1, tile.bn + 1, tile.bk * (tile.stages + 1) + 1});
  shapes.push_back({3, 3 * tile.bn + 7, 19});
  shapes.push_back({3 * tile.bm + 5, 2, 17});
  return shapes;
}

/// cuBLAS FP32 without tensor cores, as a Launch on host scalars.
class Cublas {
 public:
  Cublas() {
    REQUIRE(cublasCreate(&handle_) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH) == CUBLAS_STATUS_SUCCESS);
  }
  ~Cublas() { cublasDestroy(handle_); }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  LaunchStatus operator()(const GemmProblem& p) const {
    const auto op = [](Op o) { return o == Op::none ? CUBLAS_OP_N : CUBLAS_OP_T; };
    const cublasStatus_t status = cublasSgemm_64(handle_, op(p.op_a), op(p.op_b), p.m, p.n, p.k, &p.alpha.value, p.a,
                                                 p.lda, p.b, p.ldb, &p.beta.value, p.c, p.ldc);
    return status == CUBLAS_STATUS_SUCCESS ? launch_ok : LaunchStatus{cudaErrorUnknown};
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// A little larger than a tile in m and smaller in n where `turn` is even, or the other way round; more k than a
/// pipeline holds.
Case around_a_tile(const Kernel& kernel, Op op_a, Op op_b, std::size_t turn, Lines lines) {
  const TileExtents& tile = kernel.tile();
  const std::int64_t m = tile.bm + (turn % 2 == 0 ? 1 : 0);
  const std::int64_t n = tile.bn - (turn % 2 == 0 ? 1 : 0);
  return {.shape = {m, n, std::int64_t{tile.bk} * (tile.stages + 1) + 1},
          .op_a = op_a,
          .op_b = op_b,
          .alpha = 0.7f,
          .beta = turn % 2 == 0 ? 0.0f : 1.3f,
          .lines = lines};
}

/// One problem for each pair of ops. Their lines are aligned from problem `first_quads` on, and those of the others
/// not.
void check_every_op(const Kernel& kernel, std::size_t first_quads) {
  std::size_t turn = 0;
  for (const Op op_a : ops) {
    for (const Op op_b : ops) {
      const Lines lines = turn < first_quads ? Lines::odd : Lines::quads;
      check_kernel(kernel, Reference(around_a_tile(kernel, op_a, op_b, turn++, lines)));
    }
  }
}

/// Operands that no copy of 16 bytes can move, along k and across it.
void check_unaligned(const Kernel& kernel) {
  check_kernel(kernel, Reference(around_a_tile(kernel, Op::none, Op::none, 0, Lines::odd)));
  check_kernel(kernel, Reference(around_a_tile(kernel, Op::transpose, Op::transpose, 1, Lines::odd)));
}

constexpr Shape ragged_shapes[] = {{257, 131, 77}, {1001, 999, 1003}, {640, 1280, 96}, {4097, 33, 65}, {31, 2049, 513}};

}  // namespace

TEST_SUITE("rungs") {
  TEST_CASE("at the edges of its tiles a rung is within the bound, with the emulator's bits") {
    for (const Kernel& kernel : gpu_kernels()) {
      std::size_t turn = 0;
      for (const Shape& shape : edge_shapes(kernel.tile())) {
        for (const Op op_a : ops) {
          for (const Op op_b : ops) check_kernel(kernel, Reference(varied(shape, op_a, op_b, turn++)));
        }
      }
    }
  }

  TEST_CASE("every epilogue, whole and cut tiles") {
    for (const Kernel& kernel : gpu_kernels()) {
      const TileExtents& tile = kernel.tile();
      std::size_t turn = 0;
      for (const Shape& shape : {Shape{tile.bm + 3, tile.bn / 2 + 1, tile.bk + 1}, {tile.bm, tile.bn, tile.bk}}) {
        for (const Finish& finish : finishes) {
          Case c = varied(shape, turn % 2 == 0 ? Op::none : Op::transpose, ops[turn / 2 % 2], turn);
          c.finish = finish;
          check_kernel(kernel, Reference(c));
          ++turn;
        }
      }
    }
  }

  TEST_CASE("without products every kernel scales C, whole and cut tiles") {
    for (const Kernel& kernel : gpu_kernels()) {
      const TileExtents& tile = kernel.tile();
      std::size_t turn = 0;
      for (const Shape& shape : {Shape{tile.bm, tile.bn, 0}, {tile.bm + 3, 2 * tile.bn - 1, 0}}) {
        for (const Op op_a : ops) {
          for (const Op op_b : ops) check_kernel(kernel, Reference(varied(shape, op_a, op_b, turn++)));
        }
      }
    }
  }

  TEST_CASE("on ragged problems every rung is within the bound, with the emulator's bits") {
    std::size_t turn = 0;
    for (const Shape& shape : ragged_shapes) {
      for (const Op op_a : ops) {
        for (const Op op_b : ops) {
          const Reference reference(varied(shape, op_a, op_b, turn++));
          for (const Kernel& kernel : gpu_kernels()) check_kernel(kernel, reference);
        }
      }
    }
  }

  TEST_CASE("cuBLAS and every rung are no further apart than their two bounds allow") {
    const Cublas cublas;
    for (const Shape& shape : ragged_shapes) {
      for (const Op op_a : ops) {
        for (const Op op_b : ops) {
          const Reference reference({.shape = shape, .op_a = op_a, .op_b = op_b, .alpha = 0.7f, .beta = 0.0f});
          Matrix theirs = reference.operands.c;
          const Launch launch = [&cublas](const GemmProblem& p, Stream) { return cublas(p); };
          REQUIRE(run_on_gpu(launch, reference.operands.problem(theirs)) == "");
          const std::vector<Expected>& expected = reference.expected(Precision::fp32);
          std::int64_t apart = 0;
          for (std::int64_t j = 0; j < theirs.columns(); ++j) {
            for (std::int64_t i = 0; i < theirs.rows(); ++i) {
              const Expected& due = expected[static_cast<std::size_t>(i + j * theirs.rows())];
              const double distance = std::fabs(double{theirs.at(i, j)} - double{reference.by_k().at(i, j)});
              if (!(distance <= 2 * due.bound)) ++apart;
            }
          }
          CHECK(apart == 0);
        }
      }
    }
  }

  TEST_CASE("on the problems that configurations are made for, every kernel is right") {
    const std::vector<Kernel> kernels = gpu_kernels();
    for (const Case& c : cases_for_configs(Effort::full)) {
      const Reference reference(c);
      for (const Kernel& kernel : kernels) check_kernel(kernel, reference);
    }
  }
}

// Few and small: compute-sanitizer slows a kernel down a hundredfold.
TEST_SUITE("sanitize") {
  TEST_CASE("each kernel once for each pair of ops, whole and cut tiles") {
    for (const Kernel& kernel : gpu_fma_kernels()) check_every_op(kernel, 2);
  }

  TEST_CASE("each kernel on tensor cores once for each pair of ops, whole and cut tiles") {
    for (const Kernel& kernel : gpu_tensor_kernels()) {
      check_every_op(kernel, 0);  // read in place, where a kernel can
      check_unaligned(kernel);
    }
  }

  TEST_CASE("each configuration on the smallest deep problem, and the smallest at all, that it is made for") {
    std::vector<Case> cases = cases_for_configs(Effort::full);
    std::stable_sort(cases.begin(), cases.end(), [](const Case& left, const Case& right) {
      return left.shape.m * left.shape.n * left.shape.k < right.shape.m * right.shape.n * right.shape.k;
    });
    constexpr std::int64_t deep = 512;
    for (const Kernel& kernel : gpu_fma_kernels()) {
      for (const std::int64_t least_k : {std::int64_t{1}, deep}) {
        const auto suits = [&](const Case& c) {
          const Operands operands(c);
          Matrix result = operands.c;
          return c.shape.k >= least_k && kernel.runs(operands.problem(result));
        };
        const auto found = std::find_if(cases.begin(), cases.end(), suits);
        if (found != cases.end()) check_kernel(kernel, Reference(*found));
      }
    }
  }
}

}  // namespace ladder::test
