// SPDX-License-Identifier: MIT
// What the emulator's tests share: every scheduler of this build, and a problem that carries two arrays.
#pragma once

#include <chrono>
#include <vector>

#include "device.cuh"

namespace ladder::emulated {

/// ThreadSanitizer cannot follow fibers.
inline std::vector<simt::Scheduler> schedulers() {
#if defined(__SANITIZE_THREAD__)
  return {simt::Scheduler::os_threads};
#else
  return {simt::Scheduler::fibers, simt::Scheduler::os_threads};
#endif
}

/// Chooses a scheduler, and goes back to the build's default in the end.
class ChosenScheduler {
 public:
  explicit ChosenScheduler(simt::Scheduler scheduler, std::chrono::milliseconds patience = simt::default_patience) {
    simt::set_scheduler(scheduler, patience);
  }
  ChosenScheduler(const ChosenScheduler&) = delete;
  ChosenScheduler& operator=(const ChosenScheduler&) = delete;
  ~ChosenScheduler() { simt::set_scheduler(schedulers().front()); }
};

/// The test kernels read `input` as A and write `output` as C.
inline GemmProblem problem_of(const std::vector<float>& input, std::vector<float>& output) {
  GemmProblem problem;
  problem.a = input.data();
  problem.c = output.data();
  return problem;
}

}  // namespace ladder::emulated
