// SPDX-License-Identifier: MIT
// What a first call has to do outside the graph that it may be captured in.
#pragma once

#include <cuda_runtime_api.h>

namespace ladder::gpu {

/// Lets this thread allocate, and load kernels, although a stream is being captured, here or by another thread: nothing
/// of it becomes part of a graph.
class AllowedDuringCapture {
 public:
  AllowedDuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~AllowedDuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowedDuringCapture(const AllowedDuringCapture&) = delete;
  AllowedDuringCapture& operator=(const AllowedDuringCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace ladder::gpu
