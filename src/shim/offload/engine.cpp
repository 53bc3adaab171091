// SPDX-License-Identifier: MIT
#include "offload/engine.hpp"

#include <pthread.h>

#include <exception>
#include <string>

#include "config.hpp"
#include "offload/shared_product.hpp"
#include "stderr_line.hpp"

namespace ladder::shim {

OffloadOutcome failed_untouched(LaunchStatus status, const GemmProblem& problem) {
  return {status, {}, {{0, problem.m, 0, problem.n}}, true, false};
}

OffloadOutcome OffloadEngine::run(const Rung& rung, const GemmProblem& problem, GpuLap& lap) {
  if (abandoned_.load(std::memory_order_relaxed)) return failed_untouched(no_gpu_kernel, problem);
  used_.store(true, std::memory_order_relaxed);
  device_.note_use();
  try {
    return chosen().empty() ? run_here(rung, problem, lap) : run_on_chosen(rung, problem, lap);
  } catch (const std::exception&) {
    return {out_of_host_memory, {}, {}, false, true};
  }
}

/// The GPUs of the setting; none: the calling thread's.
const std::vector<int>& OffloadEngine::chosen() {
  std::call_once(chosen_once_, [this] {
    int count = 0;
    std::string complaint;
    if (gpus_.kind != GpusSetting::Kind::current && device_.count(count) == launch_ok)
      chosen_ = chosen_gpus(gpus_, count, complaint);
    if (!complaint.empty()) stderr_line(complaint);
  });
  return chosen_;
}

// --------------------------------------------------------------------------- in the current context

OffloadOutcome OffloadEngine::run_here(const Rung& rung, const GemmProblem& problem, GpuLap& lap) {
  int ordinal = -1;
  int number = 0;
  LaunchStatus status = device_.current(ordinal);
  if (status == launch_ok) status = device_.current_context(number);
  if (status != launch_ok) return failed_untouched(status, problem);

  const Reach reach = reach_of(device_, problem);
  OffloadOutcome outcome;
  if (reach.all_on_gpu()) {
    outcome = run_in_place(rung, problem, lap);
  } else {
    const HostSide side = placement_.of(ordinal);
    OffloadContext& context = contexts_[static_cast<std::size_t>(number)];
    const std::lock_guard lock(context.mutex);
    outcome = run_streamed(context, side, rung, problem, reach, lap);
  }
  outcome.ordinals = {ordinal};
  if (outcome.status != launch_ok && reach.some_beyond_cpu()) outcome.lost = true;
  return outcome;
}

OffloadOutcome OffloadEngine::run_in_place(const Rung& rung, const GemmProblem& problem, GpuLap& lap) {
  const Stream legacy_default = nullptr;
  lap.start(legacy_default);
  LaunchStatus status = device_.run(rung_for(rung, problem), problem, legacy_default);
  if (status == launch_ok) {
    lap.stop();
    status = device_.synchronize(legacy_default);
  }
  return {status, {}, {}, false, status != launch_ok};
}

/// Others may take what is free between the question and the allocation: then less is tried.
OffloadOutcome OffloadEngine::run_streamed(OffloadContext& context, const HostSide& side, const Rung& rung,
                                           const GemmProblem& problem, const Reach& reach, GpuLap& lap) {
  constexpr int most_tries = 8;
  std::size_t budget = 0;
  LaunchStatus status = context.prepare(device_, problem, reach, limits_.pinned, side.cores);
  if (status == launch_ok) status = context.budget(device_, limits_.memory, budget);
  if (status != launch_ok) return failed_untouched(status, problem);
  std::optional<Cut> cut;
  status = launch_no_memory;
  for (int tries = 0; tries < most_tries && status != launch_ok; ++tries, budget /= 2) {
    cut = cut_for(problem, budget);
    if (!cut) return failed_untouched(launch_no_memory, problem);
    status = context.reserve(device_, problem, *cut, budget);
  }
  if (status != launch_ok) return failed_untouched(status, problem);

  OffloadOutcome outcome;
  {
    const StreamedProblem streamed = context.streamed(rung, problem, reach);
    PanelClaims claims(kept_panels(*cut), 1);
    StreamedProduct product(device_, side.team, context.means(), streamed, *cut, claims, 0);
    outcome.status = product.run(lap);
    outcome.untouched = false;
    if (outcome.status != launch_ok) {
      outcome.unwritten = product.unwritten();
      add_unclaimed(claims, *cut, outcome.unwritten);
    }
  }
  context.trim(device_, limits_.keep);
  return outcome;
}

// ------------------------------------------------------------------------------- on several devices

OffloadOutcome OffloadEngine::run_on_chosen(const Rung& rung, const GemmProblem& problem, GpuLap& lap) {
  constexpr int most_tries = 8;
  const std::lock_guard lock(several_);
  OffloadLimits limits = limits_;
  OffloadOutcome outcome;
  for (int tries = 0; tries < most_tries; ++tries, limits.memory /= 2) {
    SharedProduct product({device_, placement_, contexts_, limits}, rung, problem, chosen_);
    outcome = product.run(lap);
    if (product.is_on_gpu()) return run_here(rung, problem, lap);
    if (outcome.status != launch_no_memory || !outcome.untouched) break;
    if (limits.memory == 0) limits.memory = product.budget();
  }
  outcome.ordinals = chosen_;
  return outcome;
}

// ------------------------------------------------------------------------------------- the process

void OffloadEngine::abandon_in_child() {
  if (!used_.load(std::memory_order_relaxed)) return;
  abandoned_.store(true, std::memory_order_relaxed);
  placement_.abandon_in_child();
}

OffloadEngine& offload_engine() {
  // Never destroyed: calls may still come while the process ends.
  static OffloadEngine& engine = [&]() -> OffloadEngine& {
    const Config& settings = config();
    const OffloadLimits limits{settings.offload_memory, settings.offload_keep, settings.offload_pinned};
    auto* made = new OffloadEngine(gpu_device(), settings.offload_threads, limits, settings.gpus);
    static_cast<void>(pthread_atfork(nullptr, nullptr, [] { offload_engine().abandon_in_child(); }));
    return *made;
  }();
  return engine;
}

}  // namespace ladder::shim
