// SPDX-License-Identifier: MIT
// Serves products of host matrices on a GPU: decides how they are cut, keeps the memory and the streams for it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "offload/copy_team.hpp"
#include "offload/streamed_product.hpp"

namespace ladder::shim {

struct OffloadLimits {
  std::size_t memory = 0;  ///< device bytes that may be taken; 0: nine tenths of what is free
  std::size_t keep = 0;    ///< device bytes kept between calls
  std::size_t pinned = 0;  ///< bytes of pinned host memory for each context
};

/// What came of a call. Where status is launch_ok, C is complete.
struct OffloadOutcome {
  LaunchStatus status = launch_ok;
  int ordinal = -1;                    ///< of the device
  std::vector<Rectangle> unwritten{};  ///< otherwise: the parts of C that are as they were, to be computed elsewhere
  bool untouched = true;               ///< that is all of C
  bool lost = false;                   ///< not even that is known, or the CPU cannot reach C
};

/// Any thread; calls in the same context wait for each other. Each context has streams, events and rings of its own,
/// made at its first call.
class OffloadEngine {
 public:
  OffloadEngine(GpuDevice& device, int copy_threads, const OffloadLimits& limits)
      : device_(device), limits_(limits), team_(copy_threads) {}

  /// Runs `problem` (valid, not a no-op, host scalars) in the current context, and returns when it is done and nothing
  /// touches the caller's matrices any more. Pageable matrices go through pinned memory; the GPU reads pinned and
  /// managed ones, and those of a GPU, where they are. Where all that is read and written lies on the GPU, the product
  /// is computed there, in the order of the legacy default stream.
  ///
  /// The order of an element's sum is that of the rung for the strip that it is in; where k is cut, the pieces are
  /// added in the order of k, each rounded. How a problem is cut depends on its size, on the limits and, where it does
  /// not fit, on how much memory is free.
  OffloadOutcome run(const Rung& rung, const GemmProblem& problem, GpuLap& lap);

  /// In a forked child: what the parent had on a GPU is not there. From now on every call fails at once, untouched.
  /// Touches no lock.
  void abandon_in_child();

 private:
  struct Buffer {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  struct Context {
    std::mutex mutex;
    StreamingMeans means;
    Buffer slots_a, slots_b, results;

    std::size_t bytes_held() const { return slots_a.bytes + slots_b.bytes + results.bytes; }
  };
  struct Reach {
    PointerKind a, b, c;
  };

  Reach reach_of(const GemmProblem& problem);
  OffloadOutcome run_streamed(Context& context, const Rung& rung, const GemmProblem& problem, const Reach& reach,
                              GpuLap& lap);
  LaunchStatus run_in_place(const Rung& rung, const GemmProblem& problem, GpuLap& lap);
  LaunchStatus prepare(StreamingMeans& means, const StreamedProblem& problem);
  LaunchStatus take_memory(Context& context, const GemmProblem& problem, Cut& cut);
  LaunchStatus reserve_all(Context& context, const GemmProblem& problem, const Cut& cut, std::size_t budget);
  LaunchStatus reserve(Buffer& buffer, std::size_t bytes);
  void release(Context& context);

  GpuDevice& device_;
  const OffloadLimits limits_;
  CopyTeam team_;
  std::atomic<bool> used_{false};
  std::atomic<bool> abandoned_{false};
  std::array<Context, most_contexts> contexts_;
};

/// The process's own, on gpu_device(), as config() says.
OffloadEngine& offload_engine();

}  // namespace ladder::shim
