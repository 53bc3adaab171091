// SPDX-License-Identifier: MIT
// Products of host matrices streamed through real GPUs: every kind of memory, little device memory, several GPUs, calls
// from many threads, a forked child.
#include <cuda_runtime_api.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "host_product.hpp"
#include "offload/engine.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;
constexpr int copying_threads = 4;
const OffloadLimits roomy{0, 256 * mib, 16 * mib};
const OffloadLimits tight{6 * mib, 256 * mib, mib};

enum class Home : std::uint8_t { pageable, registered, pinned, managed, device, stream_ordered };
constexpr Home host_homes[] = {Home::pageable, Home::registered, Home::pinned};
constexpr Home gpu_homes[] = {Home::managed, Home::device, Home::stream_ordered};

/// A copy of a matrix in memory of another kind, as long as it lives.
class Moved {
 public:
  Moved(std::vector<float>& matrix, Home home) : matrix_(matrix), home_(home) {
    const std::size_t bytes = matrix.size() * sizeof(float);
    void* memory = matrix.data();
    cudaError_t error = cudaSuccess;
    if (home == Home::registered) error = cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
    if (home == Home::pinned) error = cudaMallocHost(&memory, bytes);
    if (home == Home::managed) error = cudaMallocManaged(&memory, bytes);
    if (home == Home::device) error = cudaMalloc(&memory, bytes);
    if (home == Home::stream_ordered) error = cudaMallocAsync(&memory, bytes, nullptr);
    REQUIRE(error == cudaSuccess);
    data = static_cast<float*>(memory);
    if (data != matrix.data()) REQUIRE(cudaMemcpy(data, matrix.data(), bytes, cudaMemcpyDefault) == cudaSuccess);
  }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;
  ~Moved() {
    if (home_ == Home::registered) cudaHostUnregister(data);
    if (home_ == Home::pinned) cudaFreeHost(data);
    if (home_ == Home::managed || home_ == Home::device) cudaFree(data);
    if (home_ == Home::stream_ordered) cudaFreeAsync(data, nullptr);
  }

  /// What it has become, back to where it came from.
  void bring_back() {
    if (data == matrix_.data()) return;
    const std::size_t bytes = matrix_.size() * sizeof(float);
    REQUIRE(cudaMemcpy(matrix_.data(), data, bytes, cudaMemcpyDefault) == cudaSuccess);
  }

  float* data = nullptr;

 private:
  std::vector<float>& matrix_;
  Home home_;
};

OffloadOutcome run(OffloadEngine& engine, const GemmProblem& problem, const Rung& rung = default_rung()) {
  GpuLap untimed(nullptr);
  return engine.run(rung, problem, untimed);
}

void check_moved(OffloadEngine& engine, const ProductShape& shape, Home a_home, Home b_home, Home c_home) {
  CAPTURE(static_cast<int>(a_home));
  CAPTURE(static_cast<int>(b_home));
  CAPTURE(static_cast<int>(c_home));
  HostProduct product(shape);
  Moved a(product.a, a_home);
  Moved b(product.b, b_home);
  Moved c(product.c, c_home);
  GemmProblem problem = product.problem;
  problem.a = a.data, problem.b = b.data, problem.c = c.data;
  CHECK(run(engine, problem).status == launch_ok);
  c.bring_back();
  CHECK(product.is_right());
}

std::vector<ProductShape> shapes() {
  std::vector<ProductShape> all;
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose})
      for (const float beta : {0.0f, 3.0f}) all.push_back({1300, 900, 200, op_a, op_b, 2.0f, beta});
  all.push_back({40, 50, 60000, Op::none, Op::transpose, 1.0f, -1.0f});
  all.push_back({3, 5000, 300, Op::transpose, Op::none});
  all.push_back({600, 500, 0, Op::none, Op::none, 2.0f, 3.0f});
  return all;
}

}  // namespace

TEST_SUITE_BEGIN("offload");

TEST_CASE("a product streams through the GPU, in whatever memory and through however few chunks") {
  for (const OffloadLimits& limits : {roomy, tight}) {
    OffloadEngine engine(gpu_device(), copying_threads, limits);
    for (const ProductShape& shape : shapes()) {
      CAPTURE(shape.m);
      CAPTURE(shape.beta);
      check_moved(engine, shape, Home::pageable, Home::pageable, Home::pageable);
    }
  }
}

TEST_CASE("every kind of memory is read and written, also beside another kind") {
  OffloadEngine engine(gpu_device(), copying_threads, tight);
  for (const float beta : {0.0f, 2.0f}) {
    const ProductShape shape{1300, 900, 200, Op::none, Op::transpose, 2.0f, beta};
    for (const Home a : host_homes)
      for (const Home c : host_homes) check_moved(engine, shape, a, Home::pageable, c);
    for (const Home home : gpu_homes) {
      check_moved(engine, shape, home, Home::pageable, Home::pageable);
      check_moved(engine, shape, Home::pageable, Home::pageable, home);
      check_moved(engine, shape, home, home, home);
    }
  }
}

TEST_CASE("every rung does, in pieces that it may decline") {
  OffloadEngine engine(gpu_device(), copying_threads, tight);
  for (const Rung& rung : rungs()) {
    if (rung.gpu == nullptr) continue;
    CAPTURE(rung.name);
    HostProduct product({1300, 900, 200, Op::transpose, Op::none, 2.0f, 3.0f});
    CHECK(run(engine, product.problem, rung).status == launch_ok);
    CHECK(product.is_right());
  }
}

TEST_CASE("GPUs share a product, or the one of a rank takes it") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  for (const GpusSetting& gpus : {GpusSetting{.kind = GpusSetting::Kind::all},
                                  GpusSetting{.kind = GpusSetting::Kind::local_rank, .rank = count - 1}}) {
    for (const OffloadLimits& limits : {roomy, tight}) {
      OffloadEngine engine(gpu_device(), copying_threads, limits, gpus);
      for (const ProductShape& shape : shapes()) {
        HostProduct product(shape);
        const OffloadOutcome outcome = run(engine, product.problem);
        CHECK(outcome.status == launch_ok);
        CHECK(outcome.ordinals.size() == (gpus.kind == GpusSetting::Kind::all ? static_cast<std::size_t>(count) : 1));
        CHECK(product.is_right());
      }
    }
  }
}

TEST_CASE("threads that call at once all get their products") {
  OffloadEngine engine(gpu_device(), copying_threads, tight);
  std::array<bool, 6> right{};
  {
    std::vector<std::jthread> threads;
    for (bool& ok : right) {
      threads.emplace_back([&] {
        HostProduct product({700, 600, 150, Op::none, Op::none, 1.0f, 1.0f});
        ok = run(engine, product.problem).status == launch_ok && product.is_right();
      });
    }
  }
  for (const bool ok : right) CHECK(ok);
}

TEST_CASE("a child of a process that has used the GPU leaves calls to others, and does not hang") {
  HostProduct product({700, 600, 150});
  REQUIRE(run(offload_engine(), product.problem).status == launch_ok);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    HostProduct untouched({700, 600, 150, Op::none, Op::none, 1.0f, 1.0f});
    const std::vector<float> before = untouched.c;
    const OffloadOutcome outcome = run(offload_engine(), untouched.problem);
    _exit(outcome.untouched && HostProduct::same_bytes(untouched.c, before) ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(run(offload_engine(), product.problem).status == launch_ok);
}

TEST_SUITE_END();
