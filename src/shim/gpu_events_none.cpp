// SPDX-License-Identifier: MIT
// The events of a build without CUDA: there are none.
#include "gpu_events.hpp"

namespace ladder::shim {

namespace {

class NoEvents final : public GpuEvents {
 public:
  StreamState stream_state(Stream) override { return StreamState::unknown; }
  int context() override { return -1; }
  GpuEvent make() override { return nullptr; }
  void drop(GpuEvent) override {}
  bool record(GpuEvent, Stream) override { return false; }
  EventState state(GpuEvent) override { return EventState::lost; }
  bool elapsed(GpuEvent, GpuEvent, double&) override { return false; }
};

}  // namespace

GpuEvents& gpu_events() {
  static NoEvents none;
  return none;
}

}  // namespace ladder::shim
