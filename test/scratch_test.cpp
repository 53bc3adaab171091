// SPDX-License-Identifier: MIT
// The emulator's scratch memory: where it is, what is in it, and whose it is.
#include "scratch.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <thread>

namespace ladder::test {

namespace {

bool tickets_are_zero(const Scratch& scratch) {
  return std::all_of(scratch.tickets, scratch.tickets + scratch_tickets,
                     [](std::uint32_t ticket) { return ticket == 0; });
}

bool is_aligned(const void* address, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

}  // namespace

TEST_CASE("scratch memory is aligned, writable to its end, and its tickets are 0") {
  const Scratch scratch = emulated::scratch_of(nullptr, scratch_floats);
  REQUIRE(scratch.parts != nullptr);
  REQUIRE(scratch.tickets != nullptr);
  CHECK(is_aligned(scratch.parts, 256));
  CHECK(is_aligned(scratch.tickets, alignof(std::uint32_t)));
  CHECK(tickets_are_zero(scratch));
  scratch.parts[0] = 1.0f;
  scratch.parts[scratch_floats - 1] = 2.0f;
  CHECK(tickets_are_zero(scratch));
  scratch.tickets[scratch_tickets - 1] = 0;
  CHECK(scratch.parts[scratch_floats - 1] == 2.0f);
}

TEST_CASE("there is no scratch memory for more than a launch may need") {
  CHECK(emulated::scratch_of(nullptr, scratch_floats).parts != nullptr);
  CHECK(emulated::scratch_of(nullptr, scratch_floats + 1).parts == nullptr);
}

TEST_CASE("a thread keeps its scratch memory, whatever the stream, and shares it with nobody") {
  const Scratch mine = emulated::scratch_of(nullptr, scratch_floats);
  int stream = 0;
  CHECK(emulated::scratch_of(&stream, scratch_floats).parts == mine.parts);
  Scratch theirs;
  bool zero = false;
  std::thread other([&] {
    theirs = emulated::scratch_of(nullptr, scratch_floats);
    zero = theirs.tickets != nullptr && tickets_are_zero(theirs);
  });
  other.join();
  CHECK(zero);
  CHECK(theirs.parts != mine.parts);
  CHECK(theirs.tickets != mine.tickets);
}

}  // namespace ladder::test
