// SPDX-License-Identifier: MIT
// Scratch memory of the GPUs' streams: given out at a stream's first split problem and kept until the process ends.
#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>
#include <mutex>

#include "scratch.hpp"

namespace ladder::gpu {

namespace {

constexpr int tracked_devices = 64;
constexpr int streams_per_device = 32;
constexpr std::size_t parts_bytes = scratch_floats * sizeof(float);
constexpr std::size_t ticket_bytes = scratch_tickets * sizeof(std::uint32_t);

/// Written once, the stream last: a reader that finds its stream finds the memory too.
struct Entry {
  std::atomic<std::uintptr_t> stream{0};  // key_of() it; 0: free
  char* memory = nullptr;                 // null: there was none
};

constinit Entry entries[tracked_devices][streams_per_device];
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
  return reinterpret_cast<std::uintptr_t>(stream == nullptr ? cudaStreamLegacy : stream);
}

/// Lets this thread allocate although a stream is being captured: nothing of it becomes part of the graph.
class AllowedDuringCapture {
 public:
  AllowedDuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~AllowedDuringCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowedDuringCapture(const AllowedDuringCapture&) = delete;
  AllowedDuringCapture& operator=(const AllowedDuringCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// The tickets come after the parts, all 0. Null, and no error left behind, where there is no memory.
char* allocate() {
  const AllowedDuringCapture allowed;
  char* memory = nullptr;
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaMalloc(&memory, parts_bytes + ticket_bytes);
  if (error == cudaSuccess) error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaSuccess) error = cudaMemsetAsync(memory + parts_bytes, 0, ticket_bytes, stream);
  if (error == cudaSuccess) error = cudaStreamSynchronize(stream);
  if (stream != nullptr) cudaStreamDestroy(stream);
  if (error == cudaSuccess) return memory;
  cudaFree(memory);
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

Scratch scratch_in(char* memory) {
  if (memory == nullptr) return {};
  return {reinterpret_cast<float*>(memory), reinterpret_cast<std::uint32_t*>(memory + parts_bytes)};
}

}  // namespace

Scratch scratch_of(Stream stream) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess || device >= tracked_devices) {
    static_cast<void>(cudaGetLastError());
    return {};
  }
  const std::uintptr_t wanted = key_of(static_cast<cudaStream_t>(stream));
  for (Entry& entry : entries[device]) {
    const std::uintptr_t found = entry.stream.load(std::memory_order_acquire);
    if (found == wanted) return scratch_in(entry.memory);
    if (found == 0) break;
  }
  const std::lock_guard lock(adding);
  for (Entry& entry : entries[device]) {
    const std::uintptr_t found = entry.stream.load(std::memory_order_acquire);
    if (found == wanted) return scratch_in(entry.memory);
    if (found != 0) continue;
    entry.memory = allocate();
    entry.stream.store(wanted, std::memory_order_release);
    return scratch_in(entry.memory);
  }
  return {};
}

}  // namespace ladder::gpu
