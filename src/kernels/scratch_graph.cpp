// SPDX-License-Identifier: MIT
// Scratch memory of captured graphs: a piece is a graph's until the graph and all its executables have been destroyed
// and their last replay has ended. CUDA counts that, as the references to a user object of the graph.
#include <array>
#include <atomic>

#include "allowed_during_capture.hpp"
#include "gpu_context.hpp"
#include "scratch_memory.hpp"

namespace ladder::gpu {

namespace {

constinit ScratchPieces pieces;

/// What all graphs of a context may hold together.
std::size_t most_bytes_of(int context) {
  constexpr std::size_t share = 32;  // one in so many bytes of the device
  constinit static std::array<std::atomic<std::size_t>, tracked_contexts> known{};
  std::size_t bytes = known[context].load(std::memory_order_relaxed);
  if (bytes > 0) return bytes;
  const AllowedDuringCapture allowed;
  std::size_t unused = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&unused, &total) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  bytes = total / share;
  known[context].store(bytes, std::memory_order_relaxed);
  return bytes;
}

/// Called by CUDA, on any thread, at any time from the release on: it must not call CUDA.
void CUDART_CB give_back(void* piece) { pieces.give_back(*static_cast<ScratchPiece*>(piece)); }

/// Makes the piece the graph's. False, with the piece given back and no error left behind, where that cannot be.
bool is_kept_by(cudaGraph_t graph, ScratchPiece& piece) {
  cudaUserObject_t object = nullptr;
  cudaError_t error = cudaUserObjectCreate(&object, &piece, give_back, 1, cudaUserObjectNoDestructorSync);
  if (error != cudaSuccess) {
    pieces.give_back(piece);
  } else {
    error = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (error != cudaSuccess) cudaUserObjectRelease(object, 1);
  }
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error == cudaSuccess;
}

}  // namespace

Scratch scratch_of_graph(cudaGraph_t graph, const CapturedStream& owner, std::int64_t floats) {
  const auto [piece, was_held] = pieces.take(owner, piece_bytes(floats), most_bytes_of(owner.context));
  if (piece == nullptr) return {};
  if (was_held) return scratch_in(piece->memory);
  if (piece->memory == nullptr) {
    char* const memory = allocate_scratch(piece->bytes);
    if (memory == nullptr) {
      pieces.forget(*piece);
      return {};
    }
    pieces.fill(*piece, memory);
  }
  char* const memory = piece->memory;
  return is_kept_by(graph, *piece) ? scratch_in(memory) : Scratch{};
}

}  // namespace ladder::gpu
