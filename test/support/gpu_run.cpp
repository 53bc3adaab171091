// SPDX-License-Identifier: MIT
#include "gpu_run.hpp"

#include "device_problem.hpp"

namespace ladder::test {

std::string run_on_gpu(const Launch& launch, const GemmProblem& host) {
  const DeviceProblem device(host);
  if (device.status() != cudaSuccess) return cudaGetErrorString(device.status());
  if (const LaunchStatus status = launch(device.problem, nullptr); status != launch_ok) {
    return launch_status_text(status);
  }
  return device.fetch(host.c);
}

bool gpu_works() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

}  // namespace ladder::test
