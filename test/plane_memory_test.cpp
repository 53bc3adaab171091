// SPDX-License-Identifier: MIT
// The emulator's memory for planes: where it is, what is in it, and whose it is.
#include "plane_memory.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <thread>

namespace ladder::test {

namespace {

bool facts_are_zero(const RangeFacts& facts) {
  return facts.largest_a == 0 && facts.largest_b == 0 && facts.beyond_fp16 == 0 && facts.finished == 0;
}

}  // namespace

TEST_CASE("memory for planes is aligned, writable to its end, stays while it is large enough, and its facts are 0") {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    const PlaneMemory memory = emulated::plane_memory_of(nullptr, bytes);
    REQUIRE(memory.bytes != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(memory.bytes) % plane_alignment == 0);
    CHECK(facts_are_zero(*memory.facts));
    memory.bytes[0] = 1;
    memory.bytes[bytes - 1] = 2;
    CHECK(facts_are_zero(*memory.facts));
    int stream = 0;
    CHECK(emulated::plane_memory_of(&stream, bytes).bytes == memory.bytes);
    CHECK(emulated::plane_memory_of(nullptr, 1).bytes == memory.bytes);
  }
}

TEST_CASE("there is no memory for more planes than any machine holds, and what there was stays") {
  const PlaneMemory memory = emulated::plane_memory_of(nullptr, 1);
  CHECK(emulated::plane_memory_of(nullptr, std::numeric_limits<std::size_t>::max()).bytes == nullptr);
  CHECK(emulated::plane_memory_of(nullptr, 1).bytes == memory.bytes);
}

TEST_CASE("a thread shares its memory for planes with nobody") {
  const PlaneMemory mine = emulated::plane_memory_of(nullptr, 1);
  PlaneMemory theirs;
  bool zero = false;
  std::thread other([&] {
    theirs = emulated::plane_memory_of(nullptr, 1);
    zero = theirs.facts != nullptr && facts_are_zero(*theirs.facts);
  });
  other.join();
  CHECK(zero);
  CHECK(theirs.bytes != mine.bytes);
  CHECK(theirs.facts != mine.facts);
}

}  // namespace ladder::test
