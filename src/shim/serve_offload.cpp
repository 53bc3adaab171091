// SPDX-License-Identifier: MIT
#include "serve_offload.hpp"

#include "next_blas.hpp"

namespace ladder::shim {

namespace {

GemmProblem part_of(const GemmProblem& whole, const Rectangle& place) {
  GemmProblem part = whole;
  part.m = place.m;
  part.n = place.n;
  part.c += place.m0 + place.n0 * whole.ldc;
  if (only_scales_c(whole)) return part;  // A and B may be null
  part.a += whole.op_a == Op::none ? place.m0 : place.m0 * whole.lda;
  part.b += whole.op_b == Op::none ? place.n0 * whole.ldb : place.n0;
  return part;
}

bool compute_on_cpu(Door door, const GemmProblem& part, const void* caller) {
  return call_next_blas(door, part, caller) || default_rung().emulated->launch(part, nullptr) == launch_ok;
}

}  // namespace

Attempt serve_offloaded(OffloadEngine& engine, const Rung& rung, Door door, const GemmProblem& problem,
                        const void* caller, Served& served, GpuLap& lap) {
  const OffloadOutcome outcome = engine.run(rung, problem, lap);
  for (const int ordinal : outcome.ordinals) served.add_gpu(ordinal);
  if (outcome.status == launch_ok) return {};
  const char* failure = status_text(outcome.status);
  if (outcome.lost) return {failure, false};
  if (outcome.untouched) return {failure, true};
  for (const Rectangle& place : outcome.unwritten) {
    if (!compute_on_cpu(door, part_of(problem, place), caller)) return {failure, false};
  }
  served.why = "fallback";
  served.failure = failure;
  return {};
}

}  // namespace ladder::shim
