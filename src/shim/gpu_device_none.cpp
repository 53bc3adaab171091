// SPDX-License-Identifier: MIT
// The GPU of a build without CUDA: there is none.
#include "gpu_device.hpp"

namespace ladder::shim {

namespace {

class NoGpu final : public GpuDevice {
 public:
  bool works() override { return false; }
  LaunchStatus current(int&) override { return no_gpu_kernel; }
  LaunchStatus count(int&) override { return no_gpu_kernel; }
  LaunchStatus pci_address(int, PciAddress&) override { return no_gpu_kernel; }
  LaunchStatus use(int) override { return no_gpu_kernel; }
  LaunchStatus current_context(int&) override { return no_gpu_kernel; }
  LaunchStatus make_stream(Stream&) override { return no_gpu_kernel; }
  LaunchStatus allocate(void*&, std::size_t) override { return no_gpu_kernel; }
  void release(void*) override {}
  LaunchStatus free_memory(std::size_t&) override { return no_gpu_kernel; }
  LaunchStatus allocate_pinned(void*&, std::size_t) override { return no_gpu_kernel; }
  void release_pinned(void*) override {}
  PointerKind kind_of(const void*) override { return PointerKind::pageable; }
  LaunchStatus copy(const Copy2d&, Stream) override { return no_gpu_kernel; }
  LaunchStatus synchronize(Stream) override { return no_gpu_kernel; }
  LaunchStatus make_event(Event&) override { return no_gpu_kernel; }
  LaunchStatus record(Event, Stream) override { return no_gpu_kernel; }
  LaunchStatus wait(Stream, Event) override { return no_gpu_kernel; }
  LaunchStatus has_passed(Event, bool&) override { return no_gpu_kernel; }
  LaunchStatus run(const Rung&, const GemmProblem&, Stream) override { return no_gpu_kernel; }
};

}  // namespace

GpuDevice& gpu_device() {
  static NoGpu none;
  return none;
}

}  // namespace ladder::shim
