// SPDX-License-Identifier: MIT
#include "program_break.hpp"

#include <unistd.h>

#include <cstdint>

namespace ladder::shim {

namespace {

std::uintptr_t program_break() { return reinterpret_cast<std::uintptr_t>(sbrk(0)); }

const std::uintptr_t break_at_load = program_break();

}  // namespace

bool lies_below_program_break(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return at >= break_at_load && at < program_break();
}

}  // namespace ladder::shim
