// SPDX-License-Identifier: MIT
// FakeGpuDevice: its memory, and how that may be used.
#include <algorithm>

#include "fake_gpu_device.hpp"

namespace ladder::test {

namespace {

using shim::PointerKind;

constexpr int every_context = -1;  // whose pinned memory is

}  // namespace

void FakeGpuDevice::take_back(FakeMemory& from, void* memory) {
  if (memory == nullptr) return;
  Touched all{};
  if (const char* complaint = from.take_back(memory, all)) return note(complaint);
  if (std::any_of(streams_.begin(), streams_.end(), [&](const auto& stream) { return stream->busy_with(&all); }))
    note("released while a stream uses it");
}

LaunchStatus FakeGpuDevice::allocate(void*& memory, std::size_t bytes) {
  const HiddenLock lock(mutex_);
  if (const Call call = enter(false); call.status != launch_ok) return call.status;
  if (device_.held_in(context_here()) + held_by_others + held_unseen + bytes > memory_bytes_) return launch_no_memory;
  memory = device_.give(bytes, context_here());
  return launch_ok;
}

void FakeGpuDevice::release(void* memory) {
  const HiddenLock lock(mutex_);
  take_back(device_, memory);
}

LaunchStatus FakeGpuDevice::free_memory(std::size_t& bytes) {
  const HiddenLock lock(mutex_);
  const std::size_t taken = device_.held_in(context_here()) + held_by_others;
  bytes = taken < memory_bytes_ ? memory_bytes_ - taken : 0;
  return enter(false).status;
}

LaunchStatus FakeGpuDevice::allocate_pinned(void*& memory, std::size_t bytes) {
  const HiddenLock lock(mutex_);
  cores_of_pinning_.emplace_back().read_from_this_thread();
  if (const Call call = enter(false); call.status != launch_ok) return call.status;
  if (pinned_.held() + bytes > most_pinned_bytes) return launch_no_memory;
  memory = pinned_.give(bytes, every_context);
  return launch_ok;
}

void FakeGpuDevice::release_pinned(void* memory) {
  const HiddenLock lock(mutex_);
  take_back(pinned_, memory);
}

void FakeGpuDevice::set_kind(const void* address, std::size_t bytes, PointerKind kind) {
  const HiddenLock lock(mutex_);
  const auto* begin = static_cast<const std::byte*>(address);
  kinds_.push_back({{begin, begin + bytes}, kind});
}

PointerKind FakeGpuDevice::kind_at(const void* address) const {
  if (device_.has(address)) return PointerKind::device;
  if (pinned_.has(address)) return PointerKind::pinned;
  for (const auto& [range, kind] : kinds_) {
    if (range.begin <= address && address < range.end) return kind;
  }
  return PointerKind::pageable;
}

PointerKind FakeGpuDevice::kind_of(const void* address) {
  const HiddenLock lock(mutex_);
  return kind_at(address);
}

bool FakeGpuDevice::is_seen_by_device(const void* address) const {
  const PointerKind kind = kind_at(address);
  return kind == PointerKind::device || kind == PointerKind::managed;
}

void FakeGpuDevice::look_at_device_side(const Touched& range, const char* what) {
  if (range.begin == range.end || (!device_.has(range.begin) && is_seen_by_device(range.begin))) return;
  if (const char* complaint = device_.complaint(range, context_here()))
    note(std::string(what) + " device memory that is " + complaint);
}

void FakeGpuDevice::look_at_host_side(const Touched& range, const char* what) {
  if (range.begin == range.end) return;
  const PointerKind kind = kind_at(range.begin);
  pageable_copies_ += kind == PointerKind::pageable;
  if (kind == PointerKind::device) note(std::string(what) + " device memory as if it were the host's");
  if (!pinned_.has(range.begin)) return;
  if (const char* complaint = pinned_.complaint(range, every_context))
    note(std::string(what) + " pinned memory that is " + complaint);
}

}  // namespace ladder::test
