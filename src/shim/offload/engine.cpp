// SPDX-License-Identifier: MIT
#include "offload/engine.hpp"

#include <pthread.h>

#include <algorithm>
#include <exception>

#include "config.hpp"
#include "offload/cores.hpp"

namespace ladder::shim {

namespace {

constexpr LaunchStatus no_room = launch_no_memory;

bool is_on_gpu(PointerKind kind) { return kind == PointerKind::device || kind == PointerKind::managed; }

OffloadOutcome failed_untouched(LaunchStatus status, int ordinal, const GemmProblem& problem) {
  return {status, ordinal, {{0, problem.m, 0, problem.n}}, true, false};
}

}  // namespace

// ------------------------------------------------------------------------------------------ a call

OffloadOutcome OffloadEngine::run(const Rung& rung, const GemmProblem& problem, GpuLap& lap) {
  int ordinal = -1;
  int number = 0;
  if (abandoned_.load(std::memory_order_relaxed)) return failed_untouched(no_gpu_kernel, ordinal, problem);
  used_.store(true, std::memory_order_relaxed);
  device_.note_use();
  LaunchStatus status = device_.current(ordinal);
  if (status == launch_ok) status = device_.current_context(number);
  if (status != launch_ok) return failed_untouched(status, ordinal, problem);

  const Reach reach = reach_of(problem);
  OffloadOutcome outcome;
  if (is_on_gpu(reach.a) && is_on_gpu(reach.b) && is_on_gpu(reach.c)) {
    outcome.status = run_in_place(rung, problem, lap);
    outcome.untouched = false;
    outcome.lost = outcome.status != launch_ok;
  } else {
    Context& context = contexts_[static_cast<std::size_t>(number)];
    const std::lock_guard lock(context.mutex);
    outcome = run_streamed(context, rung, problem, reach, lap);
  }
  outcome.ordinal = ordinal;
  const auto out_of_reach = [](PointerKind kind) { return kind == PointerKind::device; };
  if (outcome.status != launch_ok && (out_of_reach(reach.a) || out_of_reach(reach.b) || out_of_reach(reach.c)))
    outcome.lost = true;
  return outcome;
}

/// What is not read counts as what C is.
OffloadEngine::Reach OffloadEngine::reach_of(const GemmProblem& problem) {
  const PointerKind c = device_.kind_of(problem.c);
  if (only_scales_c(problem)) return {c, c, c};
  return {device_.kind_of(problem.a), device_.kind_of(problem.b), c};
}

LaunchStatus OffloadEngine::run_in_place(const Rung& rung, const GemmProblem& problem, GpuLap& lap) {
  const Stream legacy_default = nullptr;
  lap.start(legacy_default);
  const LaunchStatus status = device_.run(rung_for(rung, problem), problem, legacy_default);
  if (status != launch_ok) return status;
  lap.stop();
  return device_.synchronize(legacy_default);
}

OffloadOutcome OffloadEngine::run_streamed(Context& context, const Rung& rung, const GemmProblem& problem,
                                           const Reach& reach, GpuLap& lap) {
  // When a GPU fails that writes to C by itself, nobody knows what it has written: only where nobody needs what was
  // there before.
  const bool stages_c =
      reach.c == PointerKind::pageable || (reach.c != PointerKind::device && problem.beta.value != 0.0f);
  StreamedProblem streamed{
      rung,    problem, reach.a == PointerKind::pageable, reach.b == PointerKind::pageable, stages_c, nullptr,
      nullptr, nullptr};
  OffloadOutcome outcome;
  try {
    Cut cut;
    LaunchStatus status = prepare(context.means, streamed);
    if (status == launch_ok) status = take_memory(context, problem, cut);
    if (status != launch_ok) return failed_untouched(status, -1, problem);
    streamed.slots_a = static_cast<std::byte*>(context.slots_a.data);
    streamed.slots_b = static_cast<std::byte*>(context.slots_b.data);
    streamed.results = static_cast<std::byte*>(context.results.data);
    StreamedProduct product(device_, team_, context.means, streamed, cut);
    outcome.status = product.run(lap);
    outcome.untouched = false;
    if (outcome.status != launch_ok) outcome.unwritten = product.unwritten();
  } catch (const std::exception&) {
    outcome = {out_of_host_memory, -1, {}, false, true};
  }
  if (context.bytes_held() > limits_.keep) release(context);
  return outcome;
}

// ----------------------------------------------------------------------------- streams and memory

LaunchStatus OffloadEngine::prepare(StreamingMeans& means, const StreamedProblem& problem) {
  LaunchStatus status = launch_ok;
  for (Stream* stream : {&means.up, &means.compute, &means.down}) {
    if (status == launch_ok && *stream == nullptr) status = device_.make_stream(*stream);
  }
  const auto make = [&](Event& event) {
    if (status == launch_ok && event == nullptr) status = device_.make_event(event);
  };
  make(means.sent);
  for (Event& event : means.multiplied) make(event);
  for (Event& event : means.fetched) make(event);
  const bool reads_c = problem.host.beta.value != 0.0f;
  const std::size_t ring_bytes = limits_.pinned / 2;
  if (status == launch_ok && (problem.stages_a || problem.stages_b || (problem.stages_c && reads_c)))
    status = means.ring_up.open(device_, ring_bytes);
  if (status == launch_ok && problem.stages_c) status = means.ring_down.open(device_, ring_bytes);
  return status;
}

/// Others may take what is free between the question and the allocation: then less is tried.
LaunchStatus OffloadEngine::take_memory(Context& context, const GemmProblem& problem, Cut& cut) {
  constexpr int most_tries = 8;
  std::size_t free = 0;
  if (const LaunchStatus status = device_.free_memory(free); status != launch_ok) return status;
  free += context.bytes_held();
  std::size_t budget = free / 10 * 9;
  if (limits_.memory > 0) budget = std::min(budget, limits_.memory);

  LaunchStatus status = no_room;
  for (int tries = 0; tries < most_tries && status != launch_ok; ++tries, budget /= 2) {
    const std::optional<Cut> fits = cut_for(problem, budget);
    if (!fits) return no_room;
    cut = *fits;
    status = reserve_all(context, problem, cut, budget);
  }
  return status;
}

LaunchStatus OffloadEngine::reserve_all(Context& context, const GemmProblem& problem, const Cut& cut,
                                        std::size_t budget) {
  const std::size_t a = bytes_of_slots(cut, Side::a, problem.op_a);
  const std::size_t b = bytes_of_slots(cut, Side::b, problem.op_b);
  const std::size_t results = bytes_of_results(cut);
  // Buffers that were larger for another problem count as well.
  const std::size_t after = std::max(a, context.slots_a.bytes) + std::max(b, context.slots_b.bytes) +
                            std::max(results, context.results.bytes);
  if (after > budget) release(context);
  LaunchStatus status = reserve(context.slots_a, a);
  if (status == launch_ok) status = reserve(context.slots_b, b);
  if (status == launch_ok) status = reserve(context.results, results);
  if (status != launch_ok) release(context);
  return status;
}

LaunchStatus OffloadEngine::reserve(Buffer& buffer, std::size_t bytes) {
  if (bytes <= buffer.bytes) return launch_ok;
  if (buffer.data != nullptr) device_.release(buffer.data);
  buffer = Buffer{};
  const LaunchStatus status = device_.allocate(buffer.data, bytes);
  if (status == launch_ok) {
    buffer.bytes = bytes;
  } else {
    buffer.data = nullptr;
  }
  return status;
}

void OffloadEngine::release(Context& context) {
  for (Buffer* buffer : {&context.slots_a, &context.slots_b, &context.results}) {
    if (buffer->data != nullptr) device_.release(buffer->data);
    *buffer = Buffer{};
  }
}

// ------------------------------------------------------------------------------------ the process

void OffloadEngine::abandon_in_child() {
  if (!used_.load(std::memory_order_relaxed)) return;
  abandoned_.store(true, std::memory_order_relaxed);
  team_.abandon_in_child();
}

OffloadEngine& offload_engine() {
  // Never destroyed: calls may still come while the process ends.
  static OffloadEngine& engine = [&]() -> OffloadEngine& {
    const Config& settings = config();
    const OffloadLimits limits{settings.offload_memory, settings.offload_keep, settings.offload_pinned};
    auto* made = new OffloadEngine(gpu_device(), copy_threads(settings), limits);
    static_cast<void>(pthread_atfork(nullptr, nullptr, [] { offload_engine().abandon_in_child(); }));
    return *made;
  }();
  return engine;
}

}  // namespace ladder::shim
