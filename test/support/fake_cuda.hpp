// SPDX-License-Identifier: MIT
// A CUDA runtime in host memory, as far as scratch_of() and plane_memory_of() use one: contexts, streams that are
// captured or not, graphs with user objects. During a capture, memory may not be allocated and the runtime not be set
// up in a context, unless the thread has asked to.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ladder::test {

/// A graph, or one of its executables: what it keeps alive.
using UserObjects = std::vector<cudaUserObject_t>;

struct FakeCuda {
  struct Capture {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    unsigned long long id = 0;
    UserObjects* graph = nullptr;
  };

  unsigned long long context = 1;  ///< the current one; 0: the thread has none yet
  std::map<cudaStream_t, Capture> captures;
  std::size_t total_memory = std::size_t{1} << 40;
  bool has_memory = true;
  bool graphs_keep_objects = true;
  cudaError_t query_error = cudaSuccess;  ///< of cudaStreamGetCaptureInfo()

  std::set<void*> memory;                   ///< allocated and not freed
  std::map<void*, cudaStream_t> of_stream;  ///< those of them that were allocated in the order of a stream
  std::size_t largest_allocation = std::size_t{1} << 40;
  bool has_pools = true;
  int queries = 0;  ///< of a stream's capture
  cudaError_t last_error = cudaSuccess;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  unsigned long long last_capture = 0;
  std::set<unsigned long long> set_up;  ///< contexts that the runtime knows

  /// The stream is captured into the graph from now on, as by cudaStreamBeginCapture().
  void begin_capture(cudaStream_t stream, UserObjects& graph);
  /// Another stream takes part in the same capture.
  void join_capture(cudaStream_t stream, cudaStream_t captured);
  void end_capture(cudaStream_t stream);

  static UserObjects instantiate(const UserObjects& graph);
  static void destroy(UserObjects& graph);
};

/// Behind the functions of the runtime. Not for several threads.
FakeCuda& fake_cuda();

/// The same, in a context that no test has been in before, in which nothing is captured.
FakeCuda& fake_cuda_in_another_context();

/// The handle of a stream.
cudaStream_t stream_number(std::uintptr_t number);

}  // namespace ladder::test
