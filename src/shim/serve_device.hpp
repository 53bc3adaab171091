// SPDX-License-Identifier: MIT
// Carries out a device-pointer call: the routes of its plan, one after the other, until one serves it.
#pragma once

#include "cublas_abi.hpp"
#include "dispatch.hpp"
#include "door.hpp"
#include "gemm_problem.hpp"
#include "log.hpp"
#include "next_library.hpp"

namespace ladder::shim {

/// Enqueues a valid problem that is not a no-op with the route's own rung. Null when that went well; otherwise the
/// reason why not, be it that the rung declines, and in `status` what cuBLAS would answer.
const char* launch_route(const Route& route, const GemmProblem& problem, cublas::CudaStream stream,
                         cublas::Status& status);

/// Who serves a call by this route, for the log and the counters.
Served served_by(const Route& route, const char* failure);

/// Follows `plan`. `real` calls the real cuBLAS with the caller's own arguments and returns its status.
/// The call is counted, timed and logged in `record`.
template <class Real>
cublas::Status follow_plan(CallRecord& record, const Plan& plan, const GemmProblem& problem, cublas::CudaStream stream,
                           Real&& real) {
  cublas::Status status = cublas::STATUS_NOT_SUPPORTED;
  const char* failure = nullptr;  // of the last route that had a reason of its own
  Served served;
  for (const Route& route : plan) {
    served = served_by(route, failure);
    if (served.place == Place::gpu) record.gpu_lap().start(stream);
    if (route.target == Target::next) {
      const InsideNextLibrary inside;
      status = real();
      break;
    }
    const char* its_failure = launch_route(route, problem, stream, status);
    if (its_failure == nullptr) break;
    if (route.why != nullptr) failure = its_failure;
  }
  if (status == cublas::STATUS_SUCCESS) record.gpu_lap().stop();
  record.close(problem, served);
  return status;
}

template <class Real>
cublas::Status serve_device_call(Door door, const Plan& plan, const GemmProblem& problem, cublas::CudaStream stream,
                                 Real&& real) {
  CallRecord record(door);
  return follow_plan(record, plan, problem, stream, real);
}

/// Counts and logs a call that needed no work.
inline cublas::Status nothing_to_do(Door door, const GemmProblem& problem) {
  CallRecord(door).close(problem, Served{});
  return cublas::STATUS_SUCCESS;
}

}  // namespace ladder::shim
