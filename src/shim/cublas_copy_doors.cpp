// SPDX-License-Identifier: MIT
// cublasSet/GetMatrix and cublasSet/GetVector: the real ones where there is a real cuBLAS; otherwise
// copies of our own, from host to host under LADDER_DEVICE=emulate.
#include <cstring>

#include "config.hpp"
#include "cublas_doors.hpp"
#include "gpu_device.hpp"
#include "next_library.hpp"

namespace cublas = ladder::cublas;
namespace next = ladder::shim::next;
using cublas::CudaStream;
using cublas::Status;
using ladder::shim::Copy2d;
using ladder::shim::Direction;
using ladder::shim::emulating;

namespace {

/// A matrix as the cuBLAS copy functions see it; a vector of step s is a matrix of one row, leading dimension s.
struct Block {
  int rows;
  int columns;
  int element_size;
  int from_ld;
  int to_ld;
};

Status copy_on_host(const Copy2d& copy) {
  const char* from = static_cast<const char*>(copy.from);
  char* to = static_cast<char*>(copy.to);
  for (std::size_t row = 0; row < copy.rows; ++row)
    std::memcpy(to + row * copy.to_pitch, from + row * copy.from_pitch, copy.width);
  return cublas::STATUS_SUCCESS;
}

Status copy_with_gpu(const Copy2d& copy, CudaStream stream, bool wait) {
  ladder::shim::GpuDevice& device = ladder::shim::gpu_device();
  if (!device.works()) return cublas::STATUS_NOT_INITIALIZED;
  ladder::LaunchStatus status = device.copy(copy, stream);
  if (status == ladder::launch_ok && wait) status = device.synchronize(stream);
  return status == ladder::launch_ok ? cublas::STATUS_SUCCESS : cublas::STATUS_MAPPING_ERROR;
}

Status copy_block(const Block& block, const void* from, void* to, Direction direction, CudaStream stream, bool wait) {
  if (block.rows < 0 || block.columns < 0 || block.element_size <= 0 || block.from_ld <= 0 || block.to_ld <= 0)
    return cublas::STATUS_INVALID_VALUE;
  if (block.rows > block.from_ld || block.rows > block.to_ld) return cublas::STATUS_INVALID_VALUE;
  if (block.rows == 0 || block.columns == 0) return cublas::STATUS_SUCCESS;
  const auto size = static_cast<std::size_t>(block.element_size);
  const Copy2d copy{to,
                    block.to_ld * size,
                    from,
                    block.from_ld * size,
                    block.rows * size,
                    static_cast<std::size_t>(block.columns),
                    direction};
  return emulating() ? copy_on_host(copy) : copy_with_gpu(copy, stream, wait);
}

}  // namespace

LADDER_EXPORT Status cublasSetMatrix(int rows, int cols, int element_size, const void* host, int host_ld, void* device,
                                     int device_ld) {
  if (const auto real = emulating() ? nullptr : next::cublasSetMatrix(LADDER_CALLER))
    return real(rows, cols, element_size, host, host_ld, device, device_ld);
  return copy_block({rows, cols, element_size, host_ld, device_ld}, host, device, Direction::to_device, nullptr, true);
}

LADDER_EXPORT Status cublasGetMatrix(int rows, int cols, int element_size, const void* device, int device_ld,
                                     void* host, int host_ld) {
  if (const auto real = emulating() ? nullptr : next::cublasGetMatrix(LADDER_CALLER))
    return real(rows, cols, element_size, device, device_ld, host, host_ld);
  return copy_block({rows, cols, element_size, device_ld, host_ld}, device, host, Direction::to_host, nullptr, true);
}

LADDER_EXPORT Status cublasSetMatrixAsync(int rows, int cols, int element_size, const void* host, int host_ld,
                                          void* device, int device_ld, CudaStream stream) {
  if (const auto real = emulating() ? nullptr : next::cublasSetMatrixAsync(LADDER_CALLER))
    return real(rows, cols, element_size, host, host_ld, device, device_ld, stream);
  return copy_block({rows, cols, element_size, host_ld, device_ld}, host, device, Direction::to_device, stream, false);
}

LADDER_EXPORT Status cublasGetMatrixAsync(int rows, int cols, int element_size, const void* device, int device_ld,
                                          void* host, int host_ld, CudaStream stream) {
  if (const auto real = emulating() ? nullptr : next::cublasGetMatrixAsync(LADDER_CALLER))
    return real(rows, cols, element_size, device, device_ld, host, host_ld, stream);
  return copy_block({rows, cols, element_size, device_ld, host_ld}, device, host, Direction::to_host, stream, false);
}

LADDER_EXPORT Status cublasSetVector(int n, int element_size, const void* host, int host_step, void* device,
                                     int device_step) {
  if (const auto real = emulating() ? nullptr : next::cublasSetVector(LADDER_CALLER))
    return real(n, element_size, host, host_step, device, device_step);
  return copy_block({1, n, element_size, host_step, device_step}, host, device, Direction::to_device, nullptr, true);
}

LADDER_EXPORT Status cublasGetVector(int n, int element_size, const void* device, int device_step, void* host,
                                     int host_step) {
  if (const auto real = emulating() ? nullptr : next::cublasGetVector(LADDER_CALLER))
    return real(n, element_size, device, device_step, host, host_step);
  return copy_block({1, n, element_size, device_step, host_step}, device, host, Direction::to_host, nullptr, true);
}

LADDER_EXPORT Status cublasSetVectorAsync(int n, int element_size, const void* host, int host_step, void* device,
                                          int device_step, CudaStream stream) {
  if (const auto real = emulating() ? nullptr : next::cublasSetVectorAsync(LADDER_CALLER))
    return real(n, element_size, host, host_step, device, device_step, stream);
  return copy_block({1, n, element_size, host_step, device_step}, host, device, Direction::to_device, stream, false);
}

LADDER_EXPORT Status cublasGetVectorAsync(int n, int element_size, const void* device, int device_step, void* host,
                                          int host_step, CudaStream stream) {
  if (const auto real = emulating() ? nullptr : next::cublasGetVectorAsync(LADDER_CALLER))
    return real(n, element_size, device, device_step, host, host_step, stream);
  return copy_block({1, n, element_size, device_step, host_step}, device, host, Direction::to_host, stream, false);
}
