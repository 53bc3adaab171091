// SPDX-License-Identifier: MIT
#include "serve_device.hpp"

#include "gpu_device.hpp"
#include "last_error.hpp"
#include "tuning_source.hpp"

namespace ladder::shim {

const char* launch_route(const Route& route, const GemmProblem& problem, cublas::CudaStream stream,
                         cublas::Status& status) {
  if (const char* reason = reason_to_decline(route, problem)) {
    status = cublas::STATUS_NOT_SUPPORTED;
    return reason;
  }
  const RungKernel* kernel = route.target == Target::emulated ? route.rung->emulated : route.rung->gpu;
  if (route.target == Target::gpu) {
    gpu_device().note_use();
    heed_tuning_setting();
  }
  const LaunchStatus launched = kernel ? kernel->launch(problem, stream) : no_gpu_kernel;
  if (launched == launch_ok) {
    status = cublas::STATUS_SUCCESS;
    return nullptr;
  }
  status = kernel ? cublas::STATUS_EXECUTION_FAILED : cublas::STATUS_ARCH_MISMATCH;
  set_last_error(status_text(launched));
  return status_text(launched);
}

Served served_by(const Route& route, const char* failure) {
  Served served;
  served.server = Server::rung;
  served.rung = route.rung;
  served.place = route.target == Target::emulated ? Place::emulate : Place::gpu;
  served.why = route.why ? route.why : "fallback";
  served.failure = route.why ? nullptr : failure;
  if (served.place == Place::gpu && logs_device()) static_cast<void>(gpu_device().current(served.gpu_ordinal));
  return served;
}

}  // namespace ladder::shim
