// SPDX-License-Identifier: MIT
// Events of the CUDA runtime, which is linked statically.
#include <cuda_runtime_api.h>

#include "allowed_during_capture.hpp"
#include "gpu_context.hpp"
#include "gpu_events.hpp"

namespace ladder::shim {

namespace {

/// True for success; nothing is left behind for the program's own cudaGetLastError().
bool went_well(cudaError_t error) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error == cudaSuccess;
}

cudaEvent_t cuda(GpuEvent event) { return static_cast<cudaEvent_t>(event); }

class CudaEvents final : public GpuEvents {
 public:
  StreamState stream_state(Stream stream) override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (!went_well(cudaStreamIsCapturing(static_cast<cudaStream_t>(stream), &status))) return StreamState::unknown;
    return status == cudaStreamCaptureStatusNone ? StreamState::runs : StreamState::captured;
  }

  int context() override {
    static_assert(gpu::tracked_contexts <= most_contexts && gpu::no_context < 0);
    return gpu::current_context();
  }

  GpuEvent make() override {
    const gpu::AllowedDuringCapture allowed;
    cudaEvent_t event = nullptr;
    return went_well(cudaEventCreate(&event)) ? event : nullptr;
  }

  void drop(GpuEvent event) override {
    const gpu::AllowedDuringCapture allowed;
    went_well(cudaEventDestroy(cuda(event)));
  }

  bool record(GpuEvent event, Stream stream) override {
    const gpu::AllowedDuringCapture allowed;
    return went_well(cudaEventRecord(cuda(event), static_cast<cudaStream_t>(stream)));
  }

  EventState state(GpuEvent event) override {
    const gpu::AllowedDuringCapture allowed;
    const cudaError_t answer = cudaEventQuery(cuda(event));
    if (went_well(answer)) return EventState::done;
    return answer == cudaErrorNotReady ? EventState::pending : EventState::lost;
  }

  bool elapsed(GpuEvent start, GpuEvent stop, double& nanoseconds) override {
    const gpu::AllowedDuringCapture allowed;
    constexpr double nanoseconds_per_millisecond = 1e6;
    float milliseconds = 0;
    const bool known = went_well(cudaEventElapsedTime(&milliseconds, cuda(start), cuda(stop)));
    nanoseconds = milliseconds * nanoseconds_per_millisecond;
    return known;
  }
};

}  // namespace

GpuEvents& gpu_events() {
  // Never destroyed: calls may still come while the process ends.
  static CudaEvents& events = *new CudaEvents;
  return events;
}

}  // namespace ladder::shim
