// SPDX-License-Identifier: MIT
// What belongs to which stream, without a GPU.
#include "stream_table.hpp"

#include <doctest/doctest.h>

#include <array>
#include <set>
#include <thread>
#include <vector>

namespace ladder::test {

namespace {

struct Holding {
  int value = 0;
};

constexpr auto leave_empty = [](Holding&) {};

}  // namespace

TEST_CASE("a stream of a context has what its first call put there") {
  static gpu::StreamTable<Holding> table;
  Holding* const holding = table.holding_of(0, 0x10, [](Holding& fresh) { fresh.value = 7; });
  REQUIRE(holding != nullptr);
  CHECK(holding->value == 7);
  CHECK(table.holding_of(0, 0x10, [](Holding& fresh) { fresh.value = 8; }) == holding);
  CHECK(holding->value == 7);
  CHECK(table.holding_of(0, 0x20, leave_empty) != holding);
  CHECK(table.holding_of(1, 0x10, leave_empty) != holding);
}

TEST_CASE("streams beyond 32 of a context have nothing, those before keep what they have") {
  static gpu::StreamTable<Holding> table;
  std::set<Holding*> different;
  for (std::uintptr_t stream = 1; stream <= gpu::streams_per_context; ++stream)
    different.insert(table.holding_of(3, stream, leave_empty));
  CHECK(different.size() == gpu::streams_per_context);
  CHECK(different.count(nullptr) == 0);
  CHECK(table.holding_of(3, gpu::streams_per_context + 1, leave_empty) == nullptr);
  CHECK(different.count(table.holding_of(3, 1, leave_empty)) == 1);
  CHECK(table.holding_of(2, gpu::streams_per_context + 1, leave_empty) != nullptr);
}

TEST_CASE("threads that ask for a stream's first time at once agree, and see what one of them put there") {
  static gpu::StreamTable<Holding> table;
  constexpr int threads = 4;
  std::array<std::vector<Holding*>, threads> of_thread;
  std::array<int, threads> wrong{};
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      for (std::uintptr_t stream = 1; stream <= gpu::streams_per_context; ++stream) {
        Holding* const holding = table.holding_of(0, stream, [](Holding& fresh) { ++fresh.value; });
        if (holding->value != 1) ++wrong[thread];
        of_thread[thread].push_back(holding);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  for (const auto& those : of_thread) CHECK(those == of_thread[0]);
  CHECK(wrong == std::array<int, threads>{});
}

}  // namespace ladder::test
