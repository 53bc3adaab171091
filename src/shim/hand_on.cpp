// SPDX-License-Identifier: MIT
#include "hand_on.hpp"

#include "gpu_device.hpp"

namespace ladder::shim {

void start_lap(GpuLap& lap, cublas::Handle handle, const void* caller) {
  if (!logs_gpu_time()) return;
  const auto get_stream = next::cublasGetStream_v2(caller);
  cublas::CudaStream stream = nullptr;
  if (get_stream != nullptr && get_stream(handle, &stream) == cublas::STATUS_SUCCESS) lap.start(stream);
}

Served served_by_real(const char* why) {
  Served served;
  served.server = Server::rung;
  served.rung = &cublas_rung();
  served.place = Place::gpu;
  served.why = why;
  if (logs_device()) static_cast<void>(gpu_device().current(served.gpu_ordinal));
  return served;
}

}  // namespace ladder::shim
