// SPDX-License-Identifier: MIT
// Memory for planes on the GPU. That of a stream comes from the device's own memory pool, in the order of the stream,
// so that a larger piece replaces a smaller one without a wait; that of a graph is a piece that the graph keeps.
// RangeFacts first, then the planes.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "allowed_during_capture.hpp"
#include "context_memory.hpp"
#include "plane_memory.hpp"
#include "stream_of_launch.hpp"
#include "stream_table.hpp"

namespace ladder::gpu {

namespace {

constexpr std::size_t share = 16;  // all streams of a context, and all graphs, have one in so many bytes of the device
constexpr std::size_t smallest_piece = std::size_t{32} << 20;
constexpr std::size_t facts_bytes = plane_alignment;
constexpr std::size_t overhead = facts_bytes + plane_alignment;  // an allocation is aligned to 256 bytes

struct StreamPlanes {
  std::mutex turn;
  char* memory = nullptr;
  std::size_t bytes = 0;
  std::size_t refused = 0;  ///< that there was no memory for so many; 0: there always was
};

constinit StreamTable<StreamPlanes> streams;
constinit ScratchPieces pieces;
constinit std::array<std::atomic<std::size_t>, tracked_contexts> bytes_of_streams{};

PlaneMemory planes_in(char* memory, std::unique_lock<std::mutex> turn) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  char* const facts = memory + (plane_alignment - address % plane_alignment) % plane_alignment;
  return {reinterpret_cast<unsigned char*>(facts + facts_bytes), reinterpret_cast<RangeFacts*>(facts), std::move(turn)};
}

/// Counts `bytes` of a context instead of `instead_of`. False where that would be more than its share.
bool grant(int context, std::size_t bytes, std::size_t instead_of) {
  const std::size_t most = device_bytes(context) / share;
  std::size_t counted = bytes_of_streams[context].load(std::memory_order_relaxed);
  do {
    if (counted - instead_of + bytes > most) return false;
  } while (!bytes_of_streams[context].compare_exchange_weak(counted, counted - instead_of + bytes,
                                                            std::memory_order_relaxed));
  return true;
}

/// Frees the stream's piece, if any, when what has been enqueued is done, and takes one of `bytes` for what comes then.
cudaError_t replace(StreamPlanes& planes, cudaStream_t stream, std::size_t bytes) {
  const AllowedDuringCapture allowed;
  if (planes.memory != nullptr) {
    const cudaError_t error = cudaFreeAsync(planes.memory, stream);
    if (error != cudaSuccess) return error;
    planes.memory = nullptr;
    planes.bytes = 0;
  }
  void* memory = nullptr;
  cudaError_t error = cudaMallocAsync(&memory, bytes, stream);
  if (error != cudaSuccess) return error;
  error = cudaMemsetAsync(memory, 0, overhead, stream);
  if (error != cudaSuccess) {
    cudaFreeAsync(memory, stream);
    return error;
  }
  planes.memory = static_cast<char*>(memory);
  planes.bytes = bytes;
  return cudaSuccess;
}

/// Makes the stream's piece `bytes` large or, for `wanted`, larger. False where it stays as it is, or there is none.
bool grow(StreamPlanes& planes, const LaunchStream& launch, std::size_t wanted) {
  for (const std::size_t bytes : {std::max({wanted, planes.bytes + planes.bytes / 2, smallest_piece}), wanted}) {
    if (planes.refused != 0 && bytes >= planes.refused) continue;
    if (!grant(launch.context, bytes, planes.bytes)) continue;
    const cudaError_t error = replace(planes, launch.stream, bytes);
    if (error == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());
    static_cast<void>(grant(launch.context, planes.bytes, bytes));
    if (error == cudaErrorMemoryAllocation || error == cudaErrorNotSupported) planes.refused = bytes;
  }
  return false;
}

PlaneMemory planes_of_stream(const LaunchStream& launch, std::size_t wanted) {
  StreamPlanes* const planes = streams.holding_of(launch.context, launch.number, [](StreamPlanes&) {});
  if (planes == nullptr) return {};
  std::unique_lock turn(planes->turn);
  if (planes->bytes < wanted && !grow(*planes, launch, wanted)) return {};
  return planes_in(planes->memory, std::move(turn));
}

/// A piece for the launches of one stream of a capture; sizes grow by powers of two where there is room, so that all
/// that a graph outgrows is no more than what it has.
PlaneMemory planes_of_graph(const LaunchStream& launch, std::size_t wanted) {
  const std::size_t most = device_bytes(launch.context) / share;
  if (wanted > most) return {};
  for (const std::size_t bytes : {std::max(std::bit_ceil(wanted), smallest_piece), wanted}) {
    ScratchPiece* const piece = piece_of_graph(pieces, launch.graph, launch.captured(), bytes, overhead, most);
    if (piece != nullptr) return planes_in(piece->memory, std::unique_lock(piece->turn));
  }
  return {};
}

}  // namespace

PlaneMemory plane_memory_of(Stream stream, std::size_t bytes) {
  const auto launch = stream_of_launch(stream);
  if (!launch || bytes > device_bytes(launch->context)) return {};
  const std::size_t wanted = bytes + overhead;
  return launch->graph != nullptr ? planes_of_graph(*launch, wanted) : planes_of_stream(*launch, wanted);
}

}  // namespace ladder::gpu
