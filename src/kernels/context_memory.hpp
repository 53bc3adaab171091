// SPDX-License-Identifier: MIT
// Memory of the current context for streams and for captured graphs.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "scratch_pieces.hpp"

namespace ladder::gpu {

/// All memory of the device that the context, the current one, works on; asked for once. 0 where it does not say.
/// Legal while a stream is captured.
std::size_t device_bytes(int context);

/// So many bytes of the current context, the first `zeros` of them 0. Legal while a stream is captured. Null, and no
/// error left behind, where there is no memory.
char* allocate(std::size_t bytes, std::size_t zeros);

/// A piece of at least `bytes`, the first `zeros` of them 0 when it is new, for what is captured into `graph`, which
/// keeps it until the graph and all its executables have been destroyed and their last replay has ended. Null, with no
/// error left behind, where the pieces of the context would have more than `most_bytes`.
ScratchPiece* piece_of_graph(ScratchPieces& pieces, cudaGraph_t graph, const CapturedStream& owner, std::size_t bytes,
                             std::size_t zeros, std::size_t most_bytes);

}  // namespace ladder::gpu
