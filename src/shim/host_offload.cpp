// SPDX-License-Identifier: MIT
#include "host_offload.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace ladder::shim {

namespace {

std::int64_t rows_of_a(const GemmProblem& p) { return p.op_a == Op::none ? p.m : p.k; }
std::int64_t rows_of_b(const GemmProblem& p) { return p.op_b == Op::none ? p.k : p.n; }

/// On the device every column starts on a 128-byte line, so that a rung's 128-bit path can be taken.
std::int64_t device_ld(std::int64_t rows) {
  constexpr std::int64_t floats_per_line = 32;
  return (rows + floats_per_line - 1) / floats_per_line * floats_per_line;
}

std::size_t bytes_of(std::int64_t floats) { return static_cast<std::size_t>(floats) * sizeof(float); }

void copy_columns(const float* from, float* to, std::int64_t to_ld, std::int64_t rows, std::int64_t columns) {
  for (std::int64_t j = 0; j < columns; ++j) std::copy_n(from + j * rows, rows, to + j * to_ld);
}

}  // namespace

GemmProblem on_device(const GemmProblem& host) {
  GemmProblem there = host;
  there.a = there.b = nullptr;
  there.c = nullptr;
  there.lda = std::max<std::int64_t>(1, device_ld(rows_of_a(host)));
  there.ldb = std::max<std::int64_t>(1, device_ld(rows_of_b(host)));
  there.ldc = device_ld(host.m);
  return there;
}

LaunchStatus HostOffload::reserve(Buffer& buffer, std::size_t bytes) {
  if (bytes <= buffer.bytes) return launch_ok;
  if (buffer.data != nullptr) device_.release(buffer.data);
  buffer = Buffer{};
  const LaunchStatus status = device_.allocate(buffer.data, bytes);
  if (status == launch_ok) {
    buffer.bytes = bytes;
  } else {
    buffer.data = nullptr;
  }
  return status;
}

LaunchStatus HostOffload::upload(Buffer& buffer, const float* host, std::int64_t host_ld, std::int64_t rows,
                                 std::int64_t columns, Stream stream) {
  const Copy2d copy{buffer.data,
                    bytes_of(device_ld(rows)),
                    host,
                    bytes_of(host_ld),
                    bytes_of(rows),
                    static_cast<std::size_t>(columns),
                    Direction::to_device};
  return device_.copy(copy, stream);
}

LaunchStatus HostOffload::download(Context& context, const GemmProblem& host, float* to, std::int64_t to_ld) {
  const Copy2d copy{to,
                    bytes_of(to_ld),
                    context.c.data,
                    bytes_of(device_ld(host.m)),
                    bytes_of(host.m),
                    static_cast<std::size_t>(host.n),
                    Direction::to_host};
  if (const LaunchStatus status = device_.copy(copy, context.stream); status != launch_ok) return status;
  return device_.synchronize(context.stream);
}

/// With beta = 0 straight into C, which a fallback would not read. Otherwise C stays whole until the
/// last byte of the result is on the host.
LaunchStatus HostOffload::fetch_result(Context& context, const GemmProblem& host) {
  if (host.beta.value == 0.0f) return download(context, host, host.c, host.ldc);
  const std::unique_ptr<float[]> staging(new (std::nothrow) float[static_cast<std::size_t>(host.m * host.n)]);
  if (staging == nullptr) return out_of_host_memory;
  const LaunchStatus status = download(context, host, staging.get(), host.m);
  if (status == launch_ok) copy_columns(staging.get(), host.c, host.ldc, host.m, host.n);
  return status;
}

LaunchStatus HostOffload::run_in(Context& context, const Rung& rung, const GemmProblem& host, GpuLap& lap) {
  const bool reads_ab = !only_scales_c(host);
  const std::int64_t rows_a = rows_of_a(host);
  const std::int64_t columns_a = host.op_a == Op::none ? host.k : host.m;
  const std::int64_t rows_b = rows_of_b(host);
  const std::int64_t columns_b = host.op_b == Op::none ? host.n : host.k;

  LaunchStatus status = context.stream ? launch_ok : device_.make_stream(context.stream);
  if (status == launch_ok && reads_ab) status = reserve(context.a, bytes_of(device_ld(rows_a) * columns_a));
  if (status == launch_ok && reads_ab) status = reserve(context.b, bytes_of(device_ld(rows_b) * columns_b));
  if (status == launch_ok) status = reserve(context.c, bytes_of(device_ld(host.m) * host.n));

  if (status == launch_ok && reads_ab) status = upload(context.a, host.a, host.lda, rows_a, columns_a, context.stream);
  if (status == launch_ok && reads_ab) status = upload(context.b, host.b, host.ldb, rows_b, columns_b, context.stream);
  if (status == launch_ok && host.beta.value != 0.0f)
    status = upload(context.c, host.c, host.ldc, host.m, host.n, context.stream);
  if (status != launch_ok) return status;

  GemmProblem there = on_device(host);
  there.a = static_cast<const float*>(context.a.data);
  there.b = static_cast<const float*>(context.b.data);
  there.c = static_cast<float*>(context.c.data);
  lap.start(context.stream);
  status = device_.run(rung, there, context.stream);
  if (status != launch_ok) return status;
  lap.stop();
  return fetch_result(context, host);
}

LaunchStatus HostOffload::run(const Rung& rung, const GemmProblem& problem, int& ordinal, GpuLap& lap) {
  int number = 0;
  if (const LaunchStatus status = device_.current(ordinal); status != launch_ok) return status;
  if (const LaunchStatus status = device_.current_context(number); status != launch_ok) return status;
  Context& context = contexts_[number];
  const std::lock_guard lock(context.mutex);
  const LaunchStatus status = run_in(context, rung, problem, lap);
  // Copies that are still under way must not meet whoever computes C instead.
  if (status != launch_ok && context.stream != nullptr) static_cast<void>(device_.synchronize(context.stream));
  return status;
}

HostOffload& host_offload() {
  // Never destroyed: calls may still come while the process ends.
  static HostOffload& offload = *new HostOffload(gpu_device());
  return offload;
}

}  // namespace ladder::shim
