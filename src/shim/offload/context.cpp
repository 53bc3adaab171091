// SPDX-License-Identifier: MIT
#include "offload/context.hpp"

#include <algorithm>

namespace ladder::shim {

namespace {

bool reads_c(const GemmProblem& problem) { return problem.beta.value != 0.0f; }

/// When a GPU fails that writes to C by itself, nobody knows what it has written: only where nobody needs what was
/// there before.
bool stages_c(const GemmProblem& problem, PointerKind c) {
  return c == PointerKind::pageable || (c != PointerKind::device && reads_c(problem));
}

}  // namespace

Reach reach_of(GpuDevice& device, const GemmProblem& problem) {
  const PointerKind c = device.kind_of(problem.c);
  if (only_scales_c(problem)) return {c, c, c};
  return {device.kind_of(problem.a), device.kind_of(problem.b), c};
}

LaunchStatus OffloadContext::prepare(GpuDevice& device, const GemmProblem& problem, const Reach& reach,
                                     std::size_t pinned_bytes, const CoreSet* near) {
  LaunchStatus status = launch_ok;
  for (Stream* stream : {&means_.up, &means_.compute, &means_.down}) {
    if (status == launch_ok && *stream == nullptr) status = device.make_stream(*stream);
  }
  const auto make = [&](Event& event) {
    if (status == launch_ok && event == nullptr) status = device.make_event(event);
  };
  make(means_.sent);
  for (Event& event : means_.multiplied) make(event);
  for (Event& event : means_.fetched) make(event);

  const bool down = stages_c(problem, reach.c);
  const bool up = reach.a == PointerKind::pageable || reach.b == PointerKind::pageable || (down && reads_c(problem));
  if (status == launch_ok && up) status = means_.ring_up.open(device, pinned_bytes / 2, near);
  if (status == launch_ok && down) status = means_.ring_down.open(device, pinned_bytes / 2, near);
  return status;
}

LaunchStatus OffloadContext::budget(GpuDevice& device, std::size_t limit, std::size_t& bytes) const {
  std::size_t free = 0;
  if (const LaunchStatus status = device.free_memory(free); status != launch_ok) return status;
  bytes = (free + bytes_held()) / 10 * 9;
  if (limit > 0) bytes = std::min(bytes, limit);
  return launch_ok;
}

LaunchStatus OffloadContext::reserve(GpuDevice& device, const GemmProblem& problem, const Cut& cut,
                                     std::size_t budget) {
  const std::size_t a = bytes_of_slots(cut, Side::a, problem.op_a);
  const std::size_t b = bytes_of_slots(cut, Side::b, problem.op_b);
  const std::size_t results = bytes_of_results(cut);
  // Buffers that were larger for another problem count as well.
  const std::size_t after =
      std::max(a, slots_a_.bytes) + std::max(b, slots_b_.bytes) + std::max(results, results_.bytes);
  if (after > budget) release(device);
  LaunchStatus status = grow(device, slots_a_, a);
  if (status == launch_ok) status = grow(device, slots_b_, b);
  if (status == launch_ok) status = grow(device, results_, results);
  if (status != launch_ok) release(device);
  return status;
}

LaunchStatus OffloadContext::grow(GpuDevice& device, Buffer& buffer, std::size_t bytes) {
  if (bytes <= buffer.bytes) return launch_ok;
  if (buffer.data != nullptr) device.release(buffer.data);
  buffer = Buffer{};
  const LaunchStatus status = device.allocate(buffer.data, bytes);
  if (status == launch_ok) {
    buffer.bytes = bytes;
  } else {
    buffer.data = nullptr;
  }
  return status;
}

void OffloadContext::release(GpuDevice& device) {
  for (Buffer* buffer : {&slots_a_, &slots_b_, &results_}) {
    if (buffer->data != nullptr) device.release(buffer->data);
    *buffer = Buffer{};
  }
}

void OffloadContext::trim(GpuDevice& device, std::size_t keep) {
  if (bytes_held() > keep) release(device);
}

StreamedProblem OffloadContext::streamed(const Rung& rung, const GemmProblem& problem, const Reach& reach) const {
  return {rung,
          problem,
          reach.a == PointerKind::pageable,
          reach.b == PointerKind::pageable,
          stages_c(problem, reach.c),
          static_cast<std::byte*>(slots_a_.data),
          static_cast<std::byte*>(slots_b_.data),
          static_cast<std::byte*>(results_.data)};
}

}  // namespace ladder::shim
