// SPDX-License-Identifier: MIT
#include "fake_cuda.hpp"

#include <cudaTypedefs.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

struct CUuserObject_st {
  void* object;
  cudaHostFn_t destroy;
  unsigned references;
};

namespace ladder::test {

FakeCuda& fake_cuda() {
  static FakeCuda fake;
  return fake;
}

FakeCuda& fake_cuda_in_another_context() {
  static unsigned long long contexts = 1;
  FakeCuda& fake = fake_cuda();
  fake.captures.clear();
  fake.context = ++contexts;
  return fake;
}

cudaStream_t stream_number(std::uintptr_t number) { return reinterpret_cast<cudaStream_t>(0x1000 + 0x10 * number); }

void FakeCuda::begin_capture(cudaStream_t stream, UserObjects& graph) {
  captures[stream] = {cudaStreamCaptureStatusActive, ++last_capture, &graph};
}

void FakeCuda::join_capture(cudaStream_t stream, cudaStream_t captured) { captures[stream] = captures.at(captured); }

void FakeCuda::end_capture(cudaStream_t stream) { captures.erase(stream); }

UserObjects FakeCuda::instantiate(const UserObjects& graph) {
  for (cudaUserObject_t object : graph) ++object->references;
  return graph;
}

void FakeCuda::destroy(UserObjects& graph) {
  for (cudaUserObject_t object : std::exchange(graph, {})) cudaUserObjectRelease(object, 1);
}

namespace {

cudaError_t answer(cudaError_t error) {
  if (error != cudaSuccess) fake_cuda().last_error = error;
  return error;
}

/// Of a call that a capture does not allow.
cudaError_t unsafe(cudaError_t error) {
  const FakeCuda& fake = fake_cuda();
  const bool prohibited = !fake.captures.empty() && fake.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
  return answer(prohibited ? cudaErrorStreamCaptureUnsupported : error);
}

/// What the first call in a context does beside its own work.
cudaError_t set_up() {
  return fake_cuda().set_up.insert(fake_cuda().context).second ? unsafe(cudaSuccess) : cudaSuccess;
}

CUresult CUDAAPI exchange_mode(CUstreamCaptureMode* mode) {
  std::swap(*mode, fake_cuda().mode);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI context_id(CUcontext, unsigned long long* id) {
  if (fake_cuda().context == 0) return CUDA_ERROR_INVALID_CONTEXT;
  *id = fake_cuda().context;
  return CUDA_SUCCESS;
}

}  // namespace

}  // namespace ladder::test

using ladder::test::answer;
using ladder::test::fake_cuda;

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(fake_cuda().last_error, cudaSuccess); }

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int) {
  if (fake_cuda().context == 0) fake_cuda().context = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* found) {
  if (std::string_view(symbol) == "cuCtxGetId") *function = reinterpret_cast<void*>(ladder::test::context_id);
  if (std::string_view(symbol) == "cuThreadExchangeStreamCaptureMode")
    *function = reinterpret_cast<void*>(ladder::test::exchange_mode);
  *found = *function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  const bool has_memory = fake_cuda().has_memory && bytes <= fake_cuda().largest_allocation;
  const cudaError_t error = ladder::test::unsafe(has_memory ? cudaSuccess : cudaErrorMemoryAllocation);
  if (error != cudaSuccess) return error;
  constexpr std::size_t alignment = 256;
  *memory = std::aligned_alloc(alignment, bytes);
  constexpr std::size_t some = std::size_t{1} << 20;  // to find counters that nobody set to 0
  std::memset(*memory, 0xff, std::min(bytes, some));
  fake_cuda().memory.insert(*memory);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return ladder::test::set_up();
  fake_cuda().memory.erase(memory);
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  if (!fake_cuda().has_pools) return answer(cudaErrorNotSupported);
  const cudaError_t error = cudaMalloc(memory, bytes);
  if (error == cudaSuccess) fake_cuda().of_stream[*memory] = stream;
  return error;
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  const auto found = fake_cuda().of_stream.find(memory);
  if (found == fake_cuda().of_stream.end() || found->second != stream) return answer(cudaErrorInvalidValue);
  fake_cuda().of_stream.erase(found);
  return cudaFree(memory);
}

cudaError_t cudaMemGetInfo(std::size_t* unused, std::size_t* total) {
  *unused = *total = fake_cuda().total_memory;
  return ladder::test::unsafe(cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(new char);
  return ladder::test::unsafe(cudaSuccess);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete reinterpret_cast<char*>(stream);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t) {
  std::memset(memory, value, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return ladder::test::unsafe(cudaSuccess); }

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const cudaGraphEdgeData**,
                                     std::size_t*) {
  ++fake_cuda().queries;
  if (const cudaError_t error = ladder::test::set_up(); error != cudaSuccess) return error;
  if (fake_cuda().query_error != cudaSuccess) return answer(fake_cuda().query_error);
  const auto found = fake_cuda().captures.find(stream);
  *status = found == fake_cuda().captures.end() ? cudaStreamCaptureStatusNone : found->second.status;
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  *id = found->second.id;
  *graph = reinterpret_cast<cudaGraph_t>(found->second.graph);
  return cudaSuccess;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t* made, void* object, cudaHostFn_t destroy, unsigned references,
                                 unsigned) {
  *made = new CUuserObject_st{object, destroy, references};
  return cudaSuccess;
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  object->references -= count;
  if (object->references > 0) return cudaSuccess;
  object->destroy(object->object);
  delete object;
  return cudaSuccess;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned, unsigned) {
  if (!fake_cuda().graphs_keep_objects) return answer(cudaErrorNotSupported);
  reinterpret_cast<ladder::test::UserObjects*>(graph)->push_back(object);
  return cudaSuccess;
}
}
