// SPDX-License-Identifier: MIT
#include "serve_host.hpp"

#include <fmt/format.h>

#include <exception>

#include "config.hpp"
#include "dispatch.hpp"
#include "last_error.hpp"
#include "log.hpp"
#include "next_blas.hpp"
#include "next_library.hpp"
#include "offload/cut.hpp"
#include "program_break.hpp"
#include "serve_offload.hpp"
#include "stderr_line.hpp"

namespace ladder::shim {

namespace {

Attempt try_route(const Route& route, Door door, const GemmProblem& problem, const void* caller, Served& served,
                  GpuLap& lap) {
  if (route.target == Target::emulated || (route.target == Target::gpu && gpu_device().works())) {
    if (const char* reason = reason_to_decline(route, route.target == Target::gpu ? on_device(problem) : problem))
      return {reason};
  }
  switch (route.target) {
    case Target::next:
      served.server = Server::next_blas;
      served.place = Place::cpu;
      return {call_next_blas(door, problem, caller) ? nullptr : "no BLAS found"};
    case Target::emulated: {
      served.server = Server::rung;
      served.place = Place::emulate;
      const LaunchStatus status = route.rung->emulated->launch(problem, nullptr);
      return {status == launch_ok ? nullptr : status_text(status)};
    }
    case Target::gpu:
      served.server = Server::rung;
      served.place = Place::gpu;
      if (!gpu_device().works()) return {"no GPU"};
      return serve_offloaded(offload_engine(), *route.rung, door, problem, caller, served, lap);
  }
  return {"no such way"};
}

/// Asks the driver, which takes as long as the rest of a small call, but only in a process that is known to use a GPU:
/// nobody else has such memory.
bool lies_in_gpu_memory(const GemmProblem& problem) {
  return gpu_device().in_use() && !lies_below_program_break(problem.c) &&
         gpu_device().kind_of(problem.c) == PointerKind::device;
}

/// `predicted`: what the choice was made by, where it was up to us and the call had one.
Plan plan_for(const GemmProblem& problem, Prediction& predicted) {
  HostCall call{wished_rung(), config().device, config().offload, nullptr, false};
  if (is_up_to_us(call.device, call.offload)) call.left_to_cpu = left_to_cpu(problem, predicted);
  // Asking for a GPU starts the CUDA runtime: not for calls that would not go there.
  const bool wants_gpu = call.device == DeviceWish::gpu || call.device == DeviceWish::automatic;
  const bool asks_for_gpu = wants_gpu && call.offload != OffloadWish::never && call.left_to_cpu == nullptr;
  call.in_gpu_memory = wants_gpu && lies_in_gpu_memory(problem);
  call.gpu_works = call.in_gpu_memory || (asks_for_gpu && gpu_device().works());
  if (call.in_gpu_memory || (asks_for_gpu && !call.gpu_works)) predicted = {};
  if (emulating()) {
    call.wish = settled(call.wish, problem, true, KernelHome::emulated);
  } else {
    call.wish =
        call.gpu_works ? settled(call.wish, on_device(problem), true, KernelHome::gpu) : settled_without_gpu(call.wish);
  }
  return plan_host_call(call);
}

/// False where nothing served the call; `served` then says with what the last route failed.
bool follow(const Plan& plan, Door door, const GemmProblem& problem, const void* caller, Served& served, GpuLap& lap) {
  const char* failure = nullptr;  // of the last route that had a reason of its own
  const char* last_failure = nullptr;
  for (const Route& route : plan) {
    served = Served{};
    served.rung = route.rung;
    served.why = route.why ? route.why : "fallback";
    served.failure = route.why ? nullptr : failure;
    const Attempt attempt = try_route(route, door, problem, caller, served, lap);
    if (attempt.failure == nullptr) return true;
    last_failure = attempt.failure;
    if (!attempt.others_may_try) break;
    if (route.why != nullptr) failure = last_failure;
  }
  set_last_error(last_failure);
  served = Served{};
  served.failure = last_failure;
  return false;
}

void report_failure(Door door) {
  try {
    stderr_line(fmt::format("ladderblas: {}: nothing could compute this product ({}); C does not hold it",
                            door_name(door), last_error()));
  } catch (const std::exception&) {
    stderr_line("ladderblas: nothing could compute a product, and there is no memory to say more");
  }
}

}  // namespace

bool serve_host_call(Door door, const GemmProblem& problem, const void* caller) {
  Served served;
  if (inside_next_library()) {
    if (is_noop(problem) || call_next_blas(door, problem, caller)) return true;
    GpuLap untimed(nullptr);
    Prediction unlogged;
    return follow(plan_for(problem, unlogged), door, problem, caller, served, untimed);
  }
  CallRecord record(door);
  Prediction predicted;
  const bool done =
      is_noop(problem) || follow(plan_for(problem, predicted), door, problem, caller, served, record.gpu_lap());
  served.predicted = predicted;
  if (!done) report_failure(door);
  record.close(problem, served);
  return done;
}

}  // namespace ladder::shim
