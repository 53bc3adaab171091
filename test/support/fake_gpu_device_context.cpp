// SPDX-License-Identifier: MIT
// The contexts of the GPU that FakeGpuDevice plays: which one a thread works in, and which streams belong to it.
#include "fake_gpu_device.hpp"

namespace ladder::test {

namespace {

constexpr int none_chosen = -1;
thread_local int chosen_by_this_thread = none_chosen;  // by use()

}  // namespace

LaunchStatus FakeGpuDevice::current(int& ordinal) {
  ordinal = context_here();
  return enter(false).status;
}

LaunchStatus FakeGpuDevice::count(int& devices) {
  devices = device_count;
  return enter(false).status;
}

LaunchStatus FakeGpuDevice::pci_address(int ordinal, shim::PciAddress& address) {
  constexpr LaunchStatus invalid_device = 101;  // cudaErrorInvalidDevice
  const LaunchStatus status = enter(false).status;
  if (status != launch_ok) return status;
  if (static_cast<std::size_t>(ordinal) >= pci_addresses.size()) return invalid_device;
  address = pci_addresses[static_cast<std::size_t>(ordinal)];
  return launch_ok;
}

LaunchStatus FakeGpuDevice::use(int ordinal) {
  const LaunchStatus status = enter(false).status;
  if (status == launch_ok) chosen_by_this_thread = ordinal;
  return status;
}

int FakeGpuDevice::context_here() const {
  return chosen_by_this_thread != none_chosen ? chosen_by_this_thread : context.load();
}

LaunchStatus FakeGpuDevice::current_context(int& number) {
  number = context_here();
  return enter(false).status;
}

FakeStream* FakeGpuDevice::stream_of(Stream stream) {
  if (stream == nullptr) stream = default_stream();
  for (const auto& ours : streams_) {
    if (ours.get() != stream) continue;
    if (ours->context() != context_here()) note("a stream of another context");
    return ours.get();
  }
  note("a stream that was never made");
  return nullptr;
}

FakeStream* FakeGpuDevice::default_stream() {
  FakeStream*& kept = default_streams_[context_here()];
  if (kept == nullptr)
    kept =
        streams_.emplace_back(std::make_unique<FakeStream>(clock_, static_cast<int>(streams_.size()), context_here()))
            .get();
  return kept;
}

}  // namespace ladder::test
