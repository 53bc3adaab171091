// SPDX-License-Identifier: MIT
// Calls through a cuBLAS door that are not ours to serve: other types than FP32, or an algorithm that nobody knows.
#pragma once

#include "config.hpp"
#include "cublas_abi.hpp"
#include "handle.hpp"
#include "log.hpp"
#include "next_library.hpp"

namespace ladder::shim {

/// Starts `lap` on the stream of a handle of the real cuBLAS. Does nothing where times are not wanted.
void start_lap(GpuLap& lap, cublas::Handle handle, const void* caller);

/// Who serves such a call, for the log and the summary.
Served served_by_real(const char* why);

/// Calls `call_real` (the real function, with the caller's own arguments). `start` is given the lap to start.
template <class StartLap, class CallReal>
cublas::Status hand_on_timed(Door door, const StartLap& start, const CallReal& call_real, const char* why) {
  if (inside_next_library()) return call_real();
  if (emulating()) return cublas::STATUS_NOT_SUPPORTED;
  CallRecord record(door);
  start(record.gpu_lap());
  const InsideNextLibrary inside;
  const cublas::Status status = call_real();
  if (status == cublas::STATUS_SUCCESS) record.gpu_lap().stop();
  record.close_passed_on(served_by_real(why));
  return status;
}

/// Hands the call on, for a door whose work goes to the stream of its handle.
template <class CallReal>
cublas::Status hand_on(Door door, cublas::Handle handle, const void* caller, const CallReal& call_real) {
  if (emulating() || made_here(handle))
    return own_handle(handle) ? cublas::STATUS_NOT_SUPPORTED : cublas::STATUS_NOT_INITIALIZED;
  return hand_on_timed(
      door, [&](GpuLap& lap) { start_lap(lap, handle, caller); }, call_real, why_types);
}

/// The same, for a door that is given the stream.
template <class CallReal>
cublas::Status hand_on(Door door, cublas::CudaStream stream, const CallReal& call_real, const char* why) {
  return hand_on_timed(
      door, [&](GpuLap& lap) { lap.start(stream); }, call_real, why);
}

}  // namespace ladder::shim
