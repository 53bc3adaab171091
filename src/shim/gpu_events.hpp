// SPDX-License-Identifier: MIT
// What timing work on a GPU needs of it: an interface, so that tests can put a GPU in its place that does as they say.
#pragma once

#include <cstdint>

#include "gpu_device.hpp"

namespace ladder::shim {

/// A cudaEvent_t, kept opaque.
using GpuEvent = void*;

enum class EventState : std::uint8_t { pending, done, lost };
enum class StreamState : std::uint8_t { runs, captured, unknown };

/// Nothing here waits, and no error is left behind for the program's own cudaGetLastError(). All of it is allowed while
/// a stream is being captured, by whatever thread, and becomes part of no graph.
class GpuEvents {
 public:
  virtual ~GpuEvents() = default;

  /// A number below most_contexts that no other context of the process has, of the calling thread's current one;
  /// negative where there is none. To be asked first: a thread that has no context gets one, outside what is captured.
  virtual int context() = 0;
  /// Whether what is enqueued now is run, or becomes part of a graph.
  virtual StreamState stream_state(Stream stream) = 0;
  /// An event of the current context; null where there is none to be had.
  virtual GpuEvent make() = 0;
  virtual void drop(GpuEvent event) = 0;
  /// Enqueues the event on a stream of its own context that is not being captured.
  virtual bool record(GpuEvent event, Stream stream) = 0;
  virtual EventState state(GpuEvent event) = 0;
  /// Between two events that are done.
  virtual bool elapsed(GpuEvent start, GpuEvent stop, double& nanoseconds) = 0;
};

/// Those of the machine's GPUs through the CUDA runtime; in a build without CUDA there are none.
GpuEvents& gpu_events();

}  // namespace ladder::shim
