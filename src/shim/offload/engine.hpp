// SPDX-License-Identifier: MIT
// Serves products of host matrices on one GPU or on several.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "config_gpus.hpp"
#include "offload/context.hpp"
#include "offload/placement.hpp"

namespace ladder::shim {

struct OffloadLimits {
  std::size_t memory = 0;  ///< device bytes that may be taken; 0: nine tenths of what is free
  std::size_t keep = 0;    ///< device bytes kept between calls
  std::size_t pinned = 0;  ///< bytes of pinned host memory for each context
};

/// What came of a call. Where status is launch_ok, C is complete.
struct OffloadOutcome {
  LaunchStatus status = launch_ok;
  std::vector<int> ordinals{};         ///< of the devices
  std::vector<Rectangle> unwritten{};  ///< otherwise: the parts of C that are as they were, to be computed elsewhere
  bool untouched = true;               ///< that is all of C
  bool lost = false;                   ///< not even that is known, or the CPU cannot reach the matrices
};

/// Any thread; calls in the same context wait for each other. Each context has streams, events and rings of its own,
/// made at its first call.
class OffloadEngine {
 public:
  /// `copy_threads`: as Placement has it.
  OffloadEngine(GpuDevice& device, int copy_threads, const OffloadLimits& limits, GpusSetting gpus = {},
                PlacementSources sources = {})
      : device_(device),
        limits_(limits),
        gpus_(std::move(gpus)),
        placement_(device, copy_threads, std::move(sources)) {}

  /// Runs `problem` (valid, not a no-op, host scalars) and returns when it is done and nothing touches the caller's
  /// matrices any more: in the calling thread's current context, or on the GPUs of the setting, each in its primary
  /// context and with a thread of its own. Pageable matrices go through pinned memory; the GPU reads pinned and managed
  /// ones, and those of a GPU, where they are. Where all that is read and written lies on a GPU, the product is
  /// computed there, in the current context, in the order of the legacy default stream.
  ///
  /// The order of an element's sum is that of the rung for the strip that it is in; where k is cut, the pieces are
  /// added in the order of k, each rounded. How a problem is cut depends on its size, on the limits and, where it does
  /// not fit, on how much memory is free. Which GPU computes which strip depends on how quick they are; where they are
  /// of one kind, an element's bits do not.
  OffloadOutcome run(const Rung& rung, const GemmProblem& problem, GpuLap& lap);

  /// In a forked child: what the parent had on a GPU is not there. From now on every call fails at once, untouched.
  /// Touches no lock.
  void abandon_in_child();

 private:
  const std::vector<int>& chosen();
  OffloadOutcome run_here(const Rung& rung, const GemmProblem& problem, GpuLap& lap);
  OffloadOutcome run_streamed(OffloadContext& context, const HostSide& side, const Rung& rung,
                              const GemmProblem& problem, const Reach& reach, GpuLap& lap);
  OffloadOutcome run_in_place(const Rung& rung, const GemmProblem& problem, GpuLap& lap);
  OffloadOutcome run_on_chosen(const Rung& rung, const GemmProblem& problem, GpuLap& lap);

  GpuDevice& device_;
  const OffloadLimits limits_;
  const GpusSetting gpus_;
  Placement placement_;
  std::once_flag chosen_once_;
  std::vector<int> chosen_;
  std::mutex several_;  // of a call that holds several contexts, before theirs
  std::atomic<bool> used_{false};
  std::atomic<bool> abandoned_{false};
  std::array<OffloadContext, most_contexts> contexts_;
};

/// The process's own, on gpu_device(), as config() says.
OffloadEngine& offload_engine();

}  // namespace ladder::shim
