// SPDX-License-Identifier: MIT
// Scratch memory of the GPUs' streams: given out at a stream's first split problem and kept until the process ends.
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <mutex>

#include "allowed_during_capture.hpp"
#include "gpu_context.hpp"
#include "scratch_memory.hpp"

namespace ladder::gpu {

namespace {

constexpr int streams_per_context = 32;

/// Written once, the stream last: a reader that finds its stream finds the memory too.
struct Entry {
  std::atomic<std::uintptr_t> stream{0};  // key_of() it; 0: free
  char* memory = nullptr;                 // null: there was none
};

constinit Entry entries[tracked_contexts][streams_per_context];
constinit std::mutex adding;

// Odd, unlike a handle, and never given twice: the work of a thread that has ended may still run.
std::uintptr_t number_of_this_thread() {
  constinit static std::atomic<std::uintptr_t> last{1};  // cudaStreamLegacy is 1
  constinit thread_local std::uintptr_t number = 0;
  if (number == 0) number = last.fetch_add(2, std::memory_order_relaxed) + 2;
  return number;
}

// The handle of a stream is not given away again before its last work has ended. (Its number would be unique, but
// may not be asked for during a capture.) One handle stands for every thread's own default stream.
std::uintptr_t key_of(cudaStream_t stream) {
  if (stream == cudaStreamPerThread) return number_of_this_thread();
  return reinterpret_cast<std::uintptr_t>(stream);
}

struct Capture {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
};

/// Invalidated where the stream cannot be asked: nothing can be launched on it then.
Capture capture_of(cudaStream_t stream) {
  Capture capture;
#if CUDART_VERSION >= 13000
  const cudaError_t error = cudaStreamGetCaptureInfo(stream, &capture.status, &capture.id, &capture.graph);
#else
  const cudaError_t error = cudaStreamGetCaptureInfo_v2(stream, &capture.status, &capture.id, &capture.graph);
#endif
  if (error == cudaSuccess) return capture;
  static_cast<void>(cudaGetLastError());
  return {cudaStreamCaptureStatusInvalidated};
}

Scratch scratch_of_stream(int context, std::uintptr_t wanted) {
  for (Entry& entry : entries[context]) {
    const std::uintptr_t found = entry.stream.load(std::memory_order_acquire);
    if (found == wanted) return scratch_in(entry.memory);
    if (found == 0) break;
  }
  const std::lock_guard lock(adding);
  for (Entry& entry : entries[context]) {
    const std::uintptr_t found = entry.stream.load(std::memory_order_acquire);
    if (found == wanted) return scratch_in(entry.memory);
    if (found != 0) continue;
    entry.memory = allocate_scratch(largest_piece);
    entry.stream.store(wanted, std::memory_order_release);
    return scratch_in(entry.memory);
  }
  return {};
}

}  // namespace

char* allocate_scratch(std::size_t bytes) {
  const AllowedDuringCapture allowed;
  void* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaMalloc(&memory, bytes);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) error = cudaMemsetAsync(memory, 0, ticket_bytes, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (stream != nullptr) cudaStreamDestroy(stream);
  if (error == cudaSuccess) return static_cast<char*>(memory);
  cudaFree(memory);
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

Scratch scratch_of(Stream stream, std::int64_t floats) {
  const int context = current_context();
  if (context == no_context || floats > scratch_floats) return {};
  const cudaStream_t on = stream == nullptr ? cudaStreamLegacy : static_cast<cudaStream_t>(stream);
  const std::uintptr_t key = key_of(on);
  if (on != cudaStreamLegacy) {  // the one that is never captured
    const Capture capture = capture_of(on);
    if (capture.status == cudaStreamCaptureStatusInvalidated) return {};
    if (capture.status == cudaStreamCaptureStatusActive)
      return scratch_of_graph(capture.graph, {context, capture.id, key}, floats);
  }
  return scratch_of_stream(context, key);
}

}  // namespace ladder::gpu
