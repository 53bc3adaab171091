// SPDX-License-Identifier: MIT
// A host-pointer call on a GPU: copy in, run the rung, copy out.
#pragma once

#include <array>
#include <mutex>

#include "gpu_device.hpp"
#include "gpu_stopwatch.hpp"

namespace ladder::shim {

/// `host` with the leading dimensions that its matrices get on the device, but without their addresses.
GemmProblem on_device(const GemmProblem& host);

/// Serves calls with one non-blocking stream and grow-only buffers for each CUDA context. Any thread;
/// calls in the same context wait for each other.
class HostOffload {
 public:
  explicit HostOffload(GpuDevice& device) : device_(device) {}

  /// Runs `problem` (host memory, host scalars, valid, not a no-op) in the current context and waits for
  /// it. On failure C is as it was, except with beta = 0, where it may hold anything: whoever computes
  /// it next does not read it. `ordinal` becomes the device's number. `lap` times the product, without the copies.
  LaunchStatus run(const Rung& rung, const GemmProblem& problem, int& ordinal, GpuLap& lap);

 private:
  struct Buffer {
    void* data = nullptr;
    std::size_t bytes = 0;
  };
  struct Context {
    std::mutex mutex;
    Stream stream = nullptr;
    Buffer a, b, c;
  };

  LaunchStatus reserve(Buffer& buffer, std::size_t bytes);
  LaunchStatus upload(Buffer& buffer, const float* host, std::int64_t host_ld, std::int64_t rows, std::int64_t columns,
                      Stream stream);
  LaunchStatus download(Context& context, const GemmProblem& host, float* to, std::int64_t to_ld);
  LaunchStatus run_in(Context& context, const Rung& rung, const GemmProblem& host, GpuLap& lap);
  LaunchStatus fetch_result(Context& context, const GemmProblem& host);

  GpuDevice& device_;
  std::array<Context, most_contexts> contexts_;
};

/// The process's own, on gpu_device().
HostOffload& host_offload();

}  // namespace ladder::shim
