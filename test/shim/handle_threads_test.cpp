// SPDX-License-Identifier: MIT
// Handles of our own (LADDER_DEVICE=emulate) used by several threads at once. ThreadSanitizer looks on where it can.
#include <doctest/doctest.h>
#include <ladderblas/ladderblas.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "cublas_doors.hpp"

using namespace ladder::cublas;

namespace {

constexpr int threads = 4;
constexpr int rounds = 10;
const float one = 1.0f, zero = 0.0f;

template <class Work>
void on_threads(Work work) {
  std::vector<std::thread> pool;
  for (int number = 0; number < threads; ++number) pool.emplace_back(work, number);
  for (std::thread& thread : pool) thread.join();
}

/// The status, and whether c became a * b.
struct Outcome {
  Status status;
  bool right;
};

Outcome multiply(Handle handle, float a, float b) {
  float c = -1.0f;
  const Status status = cublasSgemm_v2(handle, OP_N, OP_N, 1, 1, 1, &one, &a, 1, &b, 1, &zero, &c, 1);
  return {status, c == a * b};
}

std::uint64_t products_so_far() { return ladder_call_count("cublasSgemm_v2", nullptr); }

}  // namespace

TEST_CASE("one handle for all threads, each with its own stream under a lock") {
  Handle handle = nullptr;
  REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS);
  const std::uint64_t before = products_so_far();
  std::mutex turn;
  std::atomic<int> right{0};
  on_threads([&](int number) {
    const auto stream = reinterpret_cast<CudaStream>(static_cast<std::uintptr_t>(number + 1));
    for (int round = 0; round < rounds; ++round) {
      const std::lock_guard lock(turn);
      CudaStream seen = nullptr;
      if (cublasSetStream_v2(handle, stream) != STATUS_SUCCESS) continue;
      const Outcome outcome = multiply(handle, static_cast<float>(number), static_cast<float>(round));
      if (cublasGetStream_v2(handle, &seen) != STATUS_SUCCESS || seen != stream) continue;
      right += outcome.status == STATUS_SUCCESS && outcome.right;
    }
  });
  CHECK(right == threads * rounds);
  CHECK(products_so_far() == before + threads * rounds);
  CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS);
}

TEST_CASE("settings that change under a product's feet") {
  Handle handle = nullptr;
  REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS);
  std::atomic<int> right{0};
  on_threads([&](int number) {
    for (int round = 0; round < rounds; ++round) {
      const bool odd = (round + number) % 2 != 0;
      const auto stream = reinterpret_cast<CudaStream>(static_cast<std::uintptr_t>(odd));
      const bool set = cublasSetMathMode(handle, odd ? PEDANTIC_MATH : DEFAULT_MATH) == STATUS_SUCCESS &&
                       cublasSetAtomicsMode(handle, odd ? ATOMICS_ALLOWED : ATOMICS_NOT_ALLOWED) == STATUS_SUCCESS &&
                       cublasSetStream_v2(handle, stream) == STATUS_SUCCESS;
      const Outcome outcome = multiply(handle, 3.0f, static_cast<float>(round));
      right += set && outcome.status == STATUS_SUCCESS && outcome.right;
    }
  });
  CHECK(right == threads * rounds);
  CHECK(cublasDestroy_v2(handle) == STATUS_SUCCESS);
}

TEST_CASE("a handle that goes while others use it: each product is computed or refused") {
  Handle handle = nullptr;
  REQUIRE(cublasCreate_v2(&handle) == STATUS_SUCCESS);
  std::atomic<int> computed{0}, as_said{0};
  on_threads([&](int number) {
    for (int round = 0; round < rounds; ++round) {
      if (number == 0 && round == rounds / 2) static_cast<void>(cublasDestroy_v2(handle));
      const Outcome outcome = multiply(handle, 2.0f, 5.0f);
      computed += outcome.status == STATUS_SUCCESS;
      as_said += outcome.status == (outcome.right ? STATUS_SUCCESS : STATUS_NOT_INITIALIZED);
    }
  });
  CHECK(as_said == threads * rounds);
  CHECK(computed >= rounds / 2);
  CHECK(multiply(handle, 1.0f, 1.0f).status == STATUS_NOT_INITIALIZED);
  CHECK(cublasDestroy_v2(handle) == STATUS_NOT_INITIALIZED);
}
