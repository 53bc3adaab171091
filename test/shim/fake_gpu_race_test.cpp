// SPDX-License-Identifier: MIT
// A host that reads pinned memory once it knows that the GPU has filled it, one that does not ask, and threads of a
// host that know of each other by nothing but their talking to the same GPU. ThreadSanitizer must find the last two, or
// it would find no such mistake in the code that is tested against the fake GPU.
#include <doctest/doctest.h>

#include <chrono>
#include <thread>

#include "fake_gpu_device.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

namespace {

/// Long enough for everything to have been done. The host talks to both streams meanwhile, which is no way to know.
void read_result(bool asks) {
  constexpr std::size_t bytes = sizeof(float);
  constexpr std::chrono::milliseconds long_since{50};
  FakeGpuDevice device(bytes);
  void *memory = nullptr, *slot = nullptr;
  Stream up = nullptr, down = nullptr;
  Event sent = nullptr, arrived = nullptr;
  REQUIRE(device.make_stream(up) == launch_ok);
  REQUIRE(device.make_stream(down) == launch_ok);
  REQUIRE(device.make_event(sent) == launch_ok);
  REQUIRE(device.make_event(arrived) == launch_ok);
  REQUIRE(device.allocate(memory, bytes) == launch_ok);
  REQUIRE(device.allocate_pinned(slot, bytes) == launch_ok);
  *static_cast<float*>(slot) = 1.0f;

  REQUIRE(device.copy({memory, bytes, slot, bytes, bytes, 1, Direction::to_device}, up) == launch_ok);
  REQUIRE(device.record(sent, up) == launch_ok);
  REQUIRE(device.wait(down, sent) == launch_ok);
  REQUIRE(device.copy({slot, bytes, memory, bytes, bytes, 1, Direction::to_host}, down) == launch_ok);
  REQUIRE(device.record(arrived, down) == launch_ok);
  std::this_thread::sleep_for(long_since);
  REQUIRE(device.wait(up, arrived) == launch_ok);
  REQUIRE(device.record(sent, down) == launch_ok);
  bool passed = !asks;
  while (!passed) REQUIRE(device.has_passed(arrived, passed) == launch_ok);
  CHECK(*static_cast<float*>(slot) == 1.0f);
  REQUIRE(device.synchronize(up) == launch_ok);
  REQUIRE(device.synchronize(down) == launch_ok);
}

}  // namespace

TEST_CASE("the host asks first") { read_result(true); }
TEST_CASE("the host reads too early") { read_result(false); }

TEST_CASE("the host's threads ask in turns") {
  FakeGpuDevice device(1);
  int written = 0;
  const auto write = [&](int delay_ms) {
    std::size_t bytes = 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    written += device.free_memory(bytes) == launch_ok;
    static_cast<void>(device.free_memory(bytes));
  };
  std::thread other(write, 0);
  write(50);
  other.join();
  CHECK(written == 2);
}
