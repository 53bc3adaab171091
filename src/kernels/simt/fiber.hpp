// SPDX-License-Identifier: MIT
// A fiber that is used again and again, and the switch between two of them.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <memory>
#include <vector>

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

/// Suspends `from`, which must be running, and goes on with `to`. Returns when something resumes `from`.
void switch_fiber(Fiber& from, Fiber& to);

/// Fibers of one OS thread. They are made on demand, and each runs `serve` until the pool is closed.
class FiberPool {
 public:
  /// serve(owner, self) is called once on each new fiber, and must return only after close() was called.
  using Serve = void (*)(void* owner, Fiber& self);

  FiberPool(Serve serve, void* owner) : serve_(serve), owner_(owner) {}
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  /// The OS thread's own stack.
  Fiber& home() { return home_; }

  /// An idle fiber. Throws std::bad_alloc where there is no memory for a stack.
  Fiber& take() {
    if (idle_.empty()) grow();
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return *fiber;
  }

  /// Gives a fiber back. It may still be running, as long as it suspends itself before the next take().
  void give_back(Fiber& fiber) { idle_.push_back(&fiber); }

  /// Lets every fiber end: each is resumed once and must leave its `serve`. All must be idle.
  void close();

 private:
  void grow();

  Serve serve_;
  void* owner_;
  Fiber home_;
  std::vector<Fiber*> idle_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<void*> slabs_;
};

}  // namespace ladder::simt
