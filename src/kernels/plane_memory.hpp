// SPDX-License-Identifier: MIT
// Memory in which the kernels of one launch hand operands to each other as planes.
#pragma once

#include <cstddef>
#include <mutex>

#include "planes.hpp"
#include "rung.hpp"

namespace ladder {

/// Of launches that come one after the other, so that each may use all of it. Whoever launches keeps it until the last
/// kernel that touches it has been enqueued: another thread's launch on the same stream would come in between.
struct PlaneMemory {
  unsigned char* bytes = nullptr;  ///< as many as were asked for, aligned to 1024; null: there are none to be had
  RangeFacts* facts = nullptr;     ///< a launch finds 0 in each and leaves 0 in each
  std::unique_lock<std::mutex> turn = {};  ///< to enqueue on that stream
};

inline constexpr std::size_t plane_alignment = 1024;

namespace gpu {

/// Of the current context, for a launch on this stream. Asking for no more than before allocates nothing and waits for
/// nothing but other threads that enqueue on the same stream; where more is asked for, a larger piece takes the place
/// of the old one in the order of the stream, so the old one serves what was enqueued before. While the stream is
/// captured, the memory is the graph's until the graph and all its executables are gone.
///
/// Null pointers where there is no memory, beyond 32 streams of a context, and where the streams of a context, or its
/// graphs, would hold more than a sixteenth of its device's memory: the problem has to be cut. A stream that the device
/// had no memory for does not ask for as much again.
PlaneMemory plane_memory_of(Stream stream, std::size_t bytes);

}  // namespace gpu

namespace emulated {

/// Of the calling thread, until it ends.
PlaneMemory plane_memory_of(Stream stream, std::size_t bytes);

}  // namespace emulated

}  // namespace ladder
