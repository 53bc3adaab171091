// SPDX-License-Identifier: MIT
#include "stream_of_launch.hpp"

#include <atomic>

#include "gpu_context.hpp"

namespace ladder::gpu {

namespace {

// Odd, unlike a handle, and never given twice: the work of a thread that has ended may still run.
std::uintptr_t number_of_this_thread() {
  constinit static std::atomic<std::uintptr_t> last{1};  // cudaStreamLegacy is 1
  constinit thread_local std::uintptr_t number = 0;
  if (number == 0) number = last.fetch_add(2, std::memory_order_relaxed) + 2;
  return number;
}

// The handle of a stream is not given away again before its last work has ended. (Its number would be unique, but
// may not be asked for during a capture.) One handle stands for every thread's own default stream.
std::uintptr_t number_of(cudaStream_t stream) {
  if (stream == cudaStreamPerThread) return number_of_this_thread();
  return reinterpret_cast<std::uintptr_t>(stream);
}

/// Sets what the stream is captured into. False where nothing can be launched on it.
bool find_capture(LaunchStream& launch) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  const cudaError_t error = cudaStreamGetCaptureInfo(launch.stream, &status, &launch.capture, &graph);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo_v2(launch.stream, &status, &launch.capture, &graph);
#endif
  if (error != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  if (status == cudaStreamCaptureStatusActive) launch.graph = graph;
  return status != cudaStreamCaptureStatusInvalidated;
}

}  // namespace

std::optional<LaunchStream> stream_of_launch(Stream stream) {
  LaunchStream launch;
  launch.context = current_context();
  if (launch.context == no_context) return std::nullopt;
  launch.stream = stream == nullptr ? cudaStreamLegacy : static_cast<cudaStream_t>(stream);
  launch.number = number_of(launch.stream);
  const bool is_never_captured = launch.stream == cudaStreamLegacy;
  if (!is_never_captured && !find_capture(launch)) return std::nullopt;
  return launch;
}

}  // namespace ladder::gpu
