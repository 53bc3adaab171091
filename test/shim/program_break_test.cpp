// SPDX-License-Identifier: MIT
// Memory that is known to be the host's: what brk() gave, and nothing else.
#include "program_break.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

using namespace ladder::shim;

static const void* const given_early = sbrk(64);

TEST_CASE("what brk() gave lies below the program's break, from its first byte to its last") {
  constexpr std::ptrdiff_t bytes = 1000;
  const auto* given = static_cast<const std::byte*>(sbrk(bytes));
  CHECK(lies_below_program_break(given));
  CHECK(lies_below_program_break(given + bytes - 1));
  CHECK_FALSE(lies_below_program_break(sbrk(0)));
}

TEST_CASE("so does what it gave before main() began") { CHECK(lies_below_program_break(given_early)); }

TEST_CASE("neither the stack nor mapped memory, the program's own or null lies there") {
  static int of_program = 0;
  const int on_stack = 0;
  CHECK_FALSE(lies_below_program_break(&of_program));
  CHECK_FALSE(lies_below_program_break(&on_stack));
  CHECK_FALSE(lies_below_program_break(nullptr));
  constexpr std::size_t bytes = 4096;
  void* mapped = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(mapped != MAP_FAILED);
  CHECK_FALSE(lies_below_program_break(mapped));
  munmap(mapped, bytes);
}
