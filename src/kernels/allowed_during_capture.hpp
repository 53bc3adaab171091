// SPDX-License-Identifier: MIT
// What a first call has to do outside the graph that it may be captured in.
#pragma once

#include <cuda.h>

namespace ladder::gpu {

/// Lets this thread allocate, load kernels and set the CUDA runtime up although a stream is being captured, here or by
/// another thread: nothing of it becomes part of a graph.
class AllowedDuringCapture {
 public:
  AllowedDuringCapture() { exchange_mode(); }
  ~AllowedDuringCapture() { exchange_mode(); }
  AllowedDuringCapture(const AllowedDuringCapture&) = delete;
  AllowedDuringCapture& operator=(const AllowedDuringCapture&) = delete;

 private:
  void exchange_mode();

  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace ladder::gpu
