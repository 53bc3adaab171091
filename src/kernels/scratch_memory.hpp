// SPDX-License-Identifier: MIT
// The GPU memory behind scratch_of(), for streams and for captured graphs: tickets first, then parts.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "scratch_pieces.hpp"

namespace ladder::gpu {

/// So many bytes of the current context, the tickets 0. Legal while a stream is captured. Null, and no error left
/// behind, where there is no memory.
char* allocate_scratch(std::size_t bytes);

inline Scratch scratch_in(char* memory) {
  if (memory == nullptr) return {};
  return {reinterpret_cast<float*>(memory + ticket_bytes), reinterpret_cast<std::uint32_t*>(memory)};
}

/// Memory for a launch that is being captured into `graph`, which keeps it.
Scratch scratch_of_graph(cudaGraph_t graph, const CapturedStream& owner, std::int64_t floats);

}  // namespace ladder::gpu
