// SPDX-License-Identifier: MIT
// CUDA counts who still needs the memory of a captured graph, as the references to a user object of the graph.
#include "context_memory.hpp"

#include <array>
#include <atomic>

#include "allowed_during_capture.hpp"
#include "gpu_context.hpp"

namespace ladder::gpu {

namespace {

/// Called by CUDA, on any thread, at any time from the release on: it must not call CUDA.
void CUDART_CB give_back(void* of_graph) {
  auto* const piece = static_cast<ScratchPiece*>(of_graph);
  piece->home->give_back(*piece);
}

/// Makes the piece the graph's. False, with the piece given back and no error left behind, where that cannot be.
bool is_kept_by(cudaGraph_t graph, ScratchPiece& piece) {
  cudaUserObject_t object = nullptr;
  cudaError_t error = cudaUserObjectCreate(&object, &piece, give_back, 1, cudaUserObjectNoDestructorSync);
  if (error != cudaSuccess) {
    piece.home->give_back(piece);
  } else {
    error = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (error != cudaSuccess) cudaUserObjectRelease(object, 1);
  }
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error == cudaSuccess;
}

}  // namespace

std::size_t device_bytes(int context) {
  constinit static std::array<std::atomic<std::size_t>, tracked_contexts> known{};
  const std::size_t bytes = known[context].load(std::memory_order_relaxed);
  if (bytes > 0) return bytes;
  const AllowedDuringCapture allowed;
  std::size_t unused = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&unused, &total) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return 0;
  }
  known[context].store(total, std::memory_order_relaxed);
  return total;
}

char* allocate(std::size_t bytes, std::size_t zeros) {
  const AllowedDuringCapture allowed;
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaMalloc(&memory, bytes);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) error = cudaMemsetAsync(memory, 0, zeros, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (stream != nullptr) cudaStreamDestroy(stream);
  if (error == cudaSuccess) return static_cast<char*>(memory);
  cudaFree(memory);
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

ScratchPiece* piece_of_graph(ScratchPieces& pieces, cudaGraph_t graph, const CapturedStream& owner, std::size_t bytes,
                             std::size_t zeros, std::size_t most_bytes) {
  const auto [piece, was_held] = pieces.take(owner, bytes, most_bytes);
  if (piece == nullptr || was_held) return piece;
  if (piece->memory == nullptr) {
    char* const memory = allocate(piece->bytes, zeros);
    if (memory == nullptr) {
      pieces.forget(*piece);
      return nullptr;
    }
    pieces.fill(*piece, memory);
  }
  return is_kept_by(graph, *piece) ? piece : nullptr;
}

}  // namespace ladder::gpu
