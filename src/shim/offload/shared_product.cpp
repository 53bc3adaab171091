// SPDX-License-Identifier: MIT
#include "offload/shared_product.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include "offload/cores.hpp"
#include "offload/own_threads.hpp"

namespace ladder::shim {

SharedProduct::SharedProduct(const SharedMeans& means, const Rung& rung, const GemmProblem& problem,
                             const std::vector<int>& ordinals)
    : means_(means),
      rung_(rung),
      problem_(problem),
      workers_(ordinals.size()),
      budgets_known_(static_cast<std::ptrdiff_t>(ordinals.size()), CutForAll{this}) {
  for (std::size_t i = 0; i < ordinals.size(); ++i) workers_[i].ordinal = ordinals[i];
}

OffloadOutcome SharedProduct::run(GpuLap& lap) {
  {
    std::vector<std::jthread> threads;
    threads.reserve(workers_.size());
    const SignalsOfTheProgramBlocked blocked;
    try {
      for (int i = 0; i < static_cast<int>(workers_.size()); ++i)
        threads.emplace_back([this, i, &lap] {
          take_cores_of_process();
          work(i, lap);
        });
    } catch (const std::exception&) {
      // The system has no more threads: the GPUs that have one do without the others.
      for (std::size_t i = threads.size(); i < workers_.size(); ++i) {
        workers_[i].status = out_of_host_memory;
        budgets_known_.arrive_and_drop();
      }
    }
  }
  return merged();
}

void SharedProduct::work(int index, GpuLap& lap) noexcept {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  bool arrived = false;
  try {
    int number = 0;
    worker.status = means_.device.use(worker.ordinal);
    if (worker.status == launch_ok) worker.status = means_.device.current_context(number);
    if (worker.status == launch_ok) {
      const HostSide side = means_.placement.of(worker.ordinal);
      // Not before: threads that the driver starts with a context run where the process may.
      take_cores(side.cores);
      OffloadContext& context = means_.contexts[static_cast<std::size_t>(number)];
      const std::lock_guard lock(context.mutex);
      const Reach reach = reach_of(means_.device, problem_);
      worker.beyond_cpu = reach.some_beyond_cpu();
      worker.on_gpu = reach.all_on_gpu();
      worker.status = context.prepare(means_.device, problem_, reach, means_.limits.pinned, side.cores);
      if (worker.status == launch_ok)
        worker.status = context.budget(means_.device, means_.limits.memory, worker.budget);
      arrived = true;
      budgets_known_.arrive_and_wait();
      if (worker.status == launch_ok && claims_) worker.status = multiply(context, side.team, reach, index, lap);
      context.trim(means_.device, means_.limits.keep);
    }
  } catch (const std::exception&) {
    worker.status = out_of_host_memory;
    worker.lost = worker.began;
  }
  if (!arrived) budgets_known_.arrive_and_drop();
}

/// What the last one to come does while the others wait.
void SharedProduct::cut_for_all() {
  for (const Worker& worker : workers_) {
    is_on_gpu_ = is_on_gpu_ || worker.on_gpu;
    if (worker.budget > 0) budget_ = budget_ == 0 ? worker.budget : std::min(budget_, worker.budget);
  }
  if (is_on_gpu_ || budget_ == 0) return;
  cut_ = cut_for(problem_, budget_, static_cast<int>(workers_.size()));
  if (cut_) claims_.emplace(kept_panels(*cut_), static_cast<int>(workers_.size()));
}

LaunchStatus SharedProduct::multiply(OffloadContext& context, CopyTeam& team, const Reach& reach, int index,
                                     GpuLap& lap) {
  Worker& worker = workers_[static_cast<std::size_t>(index)];
  const LaunchStatus reserved = context.reserve(means_.device, problem_, *cut_, budget_);
  if (reserved != launch_ok) return reserved;
  const StreamedProblem streamed = context.streamed(rung_, problem_, reach);
  StreamedProduct product(means_.device, team, context.means(), streamed, *cut_, *claims_, index);
  GpuLap untimed(nullptr);
  worker.began = true;
  const LaunchStatus status = product.run(index == 0 ? lap : untimed);
  if (status != launch_ok) worker.unwritten = product.unwritten();
  return status;
}

OffloadOutcome SharedProduct::merged() {
  LaunchStatus failure = cut_ ? launch_ok : launch_no_memory;
  bool began = false;
  OffloadOutcome outcome;
  for (Worker& worker : workers_) {
    if (worker.status != launch_ok) failure = worker.status;
    began = began || worker.began;
    outcome.lost = outcome.lost || worker.lost;
    outcome.unwritten.insert(outcome.unwritten.end(), worker.unwritten.begin(), worker.unwritten.end());
  }
  const bool beyond_cpu = std::ranges::any_of(workers_, &Worker::beyond_cpu);
  if (!began) {
    outcome = failed_untouched(failure, problem_);
    outcome.lost = beyond_cpu;
    return outcome;
  }
  add_unclaimed(*claims_, *cut_, outcome.unwritten);
  outcome.untouched = false;
  // What one GPU failed to begin, others have done.
  outcome.status = outcome.unwritten.empty() && !outcome.lost ? launch_ok : failure;
  outcome.lost = outcome.lost || (outcome.status != launch_ok && beyond_cpu);
  return outcome;
}

}  // namespace ladder::shim
