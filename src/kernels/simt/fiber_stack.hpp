// SPDX-License-Identifier: MIT
// A suspended flow of control, and what AddressSanitizer is told when control moves to another stack.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace ladder::simt {

/// A suspended or running flow of control. A default-constructed one stands for the OS thread's own stack.
struct Fiber {
  boost::context::fiber context;  ///< where it goes on; empty while it runs
  Fiber* resumed_by = nullptr;

  // What AddressSanitizer wants to know about a stack; unused in other builds.
  void* asan_fake_stack = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_bytes = 0;
};

#if defined(__SANITIZE_ADDRESS__)
inline void about_to_leave(Fiber& from, const Fiber& to) {
  __sanitizer_start_switch_fiber(&from.asan_fake_stack, to.stack_bottom, to.stack_bytes);
}
inline void has_arrived(Fiber& self) {
  Fiber& from = *self.resumed_by;
  __sanitizer_finish_switch_fiber(self.asan_fake_stack, &from.stack_bottom, &from.stack_bytes);
}
inline void forget_stacks(void* slab, std::size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(slab, bytes); }
#else
inline void about_to_leave(Fiber&, const Fiber&) {}
inline void has_arrived(Fiber&) {}
inline void forget_stacks(void*, std::size_t) {}
#endif

}  // namespace ladder::simt
