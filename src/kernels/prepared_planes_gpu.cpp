// SPDX-License-Identifier: MIT
// Planes that are kept on a GPU: memory of their own, for as long as their owner wants.
#include <cuda_runtime.h>

#include <optional>

#include "gpu_context.hpp"
#include "prepared_planes.hpp"
#include "stream_of_launch.hpp"

namespace ladder::gpu {

namespace {

PreparedTable& table() {
  static PreparedTable kept;
  return kept;
}

/// Leaves no CUDA error behind.
LaunchStatus status_of(cudaError_t error) {
  if (error != cudaSuccess) static_cast<void>(cudaGetLastError());
  return error == cudaErrorMemoryAllocation ? launch_no_memory : error;
}

LaunchStatus write_and_wait(const PreparedOperand& operand, cudaStream_t stream, const PreparedPlanes& planes) {
  const LaunchStatus cleared = status_of(cudaMemsetAsync(planes.facts, 0, sizeof(RangeFacts), stream));
  const LaunchStatus written = cleared == launch_ok ? write_planes(operand, stream, planes) : cleared;
  return written == launch_ok ? status_of(cudaStreamSynchronize(stream)) : written;
}

}  // namespace

LaunchStatus prepare(const PreparedOperand& operand, Stream stream, Prepared& prepared) {
  const std::optional<LaunchStream> launch = stream_of_launch(stream);
  if (!launch) return launch_not_supported;
  if (launch->graph != nullptr) return cudaErrorStreamCaptureUnsupported;
  void* memory = nullptr;
  const LaunchStatus allocated = status_of(cudaMalloc(&memory, prepared_bytes(operand)));
  if (allocated != launch_ok) return allocated;
  prepared = {lay_out_prepared(operand, static_cast<unsigned char*>(memory)), memory};
  LaunchStatus status = write_and_wait(operand, launch->stream, prepared.planes);
  if (status == launch_ok && !table().add(launch->context, operand, prepared.planes)) status = launch_no_memory;
  if (status != launch_ok) static_cast<void>(status_of(cudaFree(memory)));
  return status;
}

void release(const Prepared& prepared) {
  table().remove(prepared.planes.facts);
  static_cast<void>(status_of(cudaFree(prepared.memory)));
}

KeptOperands kept_operands(const GemmProblem& problem) {
  return table().is_empty() ? KeptOperands{} : table().find(current_context(), problem);
}

}  // namespace ladder::gpu
