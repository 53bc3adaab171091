// SPDX-License-Identifier: MIT
// Which ceilings are measured, in which order and how often. What is launched is in ceilings_*.cu.
#include "ceilings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

#include "rate_meter.hpp"

namespace ladder::bench {

namespace {

using std::chrono::milliseconds;

constexpr double tera = 1e12;
constexpr double giga = 1e9;
constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t device_copy_bytes = 2048 * mebibyte;
constexpr std::size_t host_copy_bytes = 256 * mebibyte;
constexpr std::size_t share_of_free_memory = 4;
constexpr int fill = 0x5a;

constexpr milliseconds wake_up{250};
constexpr RunPlan steady{.bursts = 1, .runs = 15};
// Tensor cores on real data reach the power limit within tens of milliseconds: each burst ends before that.
constexpr RunPlan short_bursts{.bursts = 3, .runs = 7, .pause = milliseconds(50)};
constexpr RunPlan slow_copies{.bursts = 1, .runs = 5};

std::optional<double> in_units_of(double unit, std::optional<double> rate) {
  return rate ? std::optional(*rate / unit) : std::nullopt;
}

Work runtime_copy_work(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const double moved = static_cast<double>(bytes) * (kind == cudaMemcpyDeviceToDevice ? 2.0 : 1.0);
  return {.launch = [=](cudaStream_t stream) { return cudaMemcpyAsync(to, from, bytes, kind, stream); },
          .amount = moved};
}

/// The better of the runtime's copy and a kernel's.
std::optional<double> device_copy(RateMeter& meter) {
  constexpr const char* what = "device copy";
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (!meter.succeeded(what, cudaMemGetInfo(&free_bytes, &total_bytes))) return std::nullopt;
  const std::size_t bytes =
      std::min(device_copy_bytes, free_bytes / share_of_free_memory) / copy_granule * copy_granule;
  if (bytes == 0) {
    meter.succeeded(what, cudaErrorMemoryAllocation);
    return std::nullopt;
  }
  const DeviceMemory from = meter.device_memory(what, bytes, fill);
  const DeviceMemory to = from ? meter.device_memory(what, bytes, 0) : nullptr;
  if (!to) return std::nullopt;
  const auto by_runtime =
      meter.rate(what, runtime_copy_work(to.get(), from.get(), bytes, cudaMemcpyDeviceToDevice), steady);
  const auto by_kernel = meter.rate(what, copy_kernel_work(to.get(), from.get(), bytes), steady);
  return in_units_of(giga, std::max(by_runtime, by_kernel));
}

std::optional<double> tensor_rate(RateMeter& meter, Pipe pipe, int sm_count, float* sink) {
  constexpr const char* what = "tensor cores";
  const std::vector<std::uint32_t> operands = tensor_operands(pipe);
  const std::size_t bytes = operands.size() * sizeof(std::uint32_t);
  const DeviceMemory on_device = meter.device_memory(what, bytes, 0);
  if (!on_device || !meter.succeeded(what, cudaMemcpy(on_device.get(), operands.data(), bytes, cudaMemcpyHostToDevice)))
    return std::nullopt;
  const auto work = tensor_work(pipe, sm_count, static_cast<const std::uint32_t*>(on_device.get()), sink);
  return work ? in_units_of(tera, meter.rate(what, *work, short_bursts)) : std::nullopt;
}

void both_ways(RateMeter& meter, const char* what, void* on_host, void* on_device, std::optional<double>& to_device,
               std::optional<double>& to_host) {
  const Work there = runtime_copy_work(on_device, on_host, host_copy_bytes, cudaMemcpyHostToDevice);
  const Work back = runtime_copy_work(on_host, on_device, host_copy_bytes, cudaMemcpyDeviceToHost);
  to_device = in_units_of(giga, meter.rate(what, there, slow_copies));
  to_host = in_units_of(giga, meter.rate(what, back, slow_copies));
}

void host_copies(RateMeter& meter, Ceilings& ceilings) {
  const DeviceMemory on_device = meter.device_memory("host copies", host_copy_bytes, fill);
  if (!on_device) return;
  void* memory = nullptr;
  if (meter.succeeded("pinned copies", cudaHostAlloc(&memory, host_copy_bytes, cudaHostAllocDefault))) {
    const PinnedMemory pinned(memory);
    std::memset(pinned.get(), fill, host_copy_bytes);
    both_ways(meter, "pinned copies", pinned.get(), on_device.get(), ceilings.to_device_pinned_gbs,
              ceilings.to_host_pinned_gbs);
  }
  const std::unique_ptr<std::byte[]> pageable(new (std::nothrow) std::byte[host_copy_bytes]);
  if (!meter.succeeded("pageable copies", pageable ? cudaSuccess : cudaErrorMemoryAllocation)) return;
  std::memset(pageable.get(), fill, host_copy_bytes);
  both_ways(meter, "pageable copies", pageable.get(), on_device.get(), ceilings.to_device_pageable_gbs,
            ceilings.to_host_pageable_gbs);
}

}  // namespace

Ceilings measure_ceilings(CeilingSet which, std::string& complaint) {
  Ceilings ceilings;
  RateMeter meter(complaint);
  int ordinal = 0;
  int sm_count = 0;
  if (!meter.works() || !meter.succeeded("the device", cudaGetDevice(&ordinal)) ||
      !meter.succeeded("the device", cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, ordinal)))
    return ceilings;
  const DeviceMemory sink_memory = meter.device_memory("the device", sizeof(float), 0);
  if (!sink_memory) return ceilings;
  auto* sink = static_cast<float*>(sink_memory.get());

  const Work multiply_adds = fma_work(sm_count, sink);
  meter.keep_busy(multiply_adds, wake_up);
  ceilings.fma_tflops = in_units_of(tera, meter.rate("multiply-adds", multiply_adds, steady));
  ceilings.copy_gbs = device_copy(meter);
  if (which == CeilingSet::fp32) return ceilings;
  ceilings.tf32_tflops = tensor_rate(meter, Pipe::tf32, sm_count, sink);
  ceilings.bf16_tflops = tensor_rate(meter, Pipe::bf16, sm_count, sink);
  ceilings.fp16_tflops = tensor_rate(meter, Pipe::fp16, sm_count, sink);
  host_copies(meter, ceilings);
  return ceilings;
}

}  // namespace ladder::bench
