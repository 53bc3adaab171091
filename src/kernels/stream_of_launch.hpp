// SPDX-License-Identifier: MIT
// Which of a context's streams a launch goes to, and whether it is being captured.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>

#include "rung.hpp"
#include "scratch_pieces.hpp"

namespace ladder::gpu {

struct LaunchStream {
  int context = 0;            ///< number of the current context
  cudaStream_t stream = {};   ///< the legacy default stream by its name
  std::uintptr_t number = 0;  ///< never 0, and another one for each stream of the context that launches go to at a time
  cudaGraph_t graph = {};     ///< what the stream is captured into; null: it is not captured
  unsigned long long capture = 0;

  /// Whose memory is the graph's.
  CapturedStream captured() const { return {context, capture, number}; }
};

/// Nothing where there is no context, where the stream cannot be asked or where its capture is broken: nothing can be
/// launched then. Leaves no CUDA error behind.
std::optional<LaunchStream> stream_of_launch(Stream stream);

}  // namespace ladder::gpu
