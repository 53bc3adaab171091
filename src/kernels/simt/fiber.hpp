// SPDX-License-Identifier: MIT
// A fiber that is used again and again, and the switch between two of them.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "fiber_stack.hpp"

namespace ladder::simt {

/// Suspends `from`, which must be running, and goes on with `to`. Returns when something resumes `from`.
/// Inline, because each return after a switch is one that the CPU predicts wrongly.
inline void switch_fiber(Fiber& from, Fiber& to) {
  to.resumed_by = &from;
  about_to_leave(from, to);
  boost::context::fiber left = std::move(to.context).resume();
  has_arrived(from);
  from.resumed_by->context = std::move(left);
}

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
