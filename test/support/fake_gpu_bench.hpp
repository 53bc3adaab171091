// SPDX-License-Identifier: MIT
// What the tests of the fake GPU begin with.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "fake_gpu_device.hpp"

namespace ladder::test {

/// A device with two streams, an event, and 16 floats on either side.
struct FakeGpuBench {
  static constexpr std::size_t count = 16;
  static constexpr std::size_t bytes = count * sizeof(float);

  FakeGpuDevice device{1 << 20};
  Stream streams[2] = {};
  shim::Event event = nullptr;
  float* there = nullptr;
  float* here = nullptr;
  int calls = 0;

  FakeGpuBench() {
    for (Stream& stream : streams) REQUIRE(device.make_stream(stream) == launch_ok);
    REQUIRE(device.make_event(event) == launch_ok);
    void* memory = nullptr;
    REQUIRE(device.allocate(memory, bytes) == launch_ok);
    there = static_cast<float*>(memory);
    REQUIRE(device.allocate_pinned(memory, bytes) == launch_ok);
    here = static_cast<float*>(memory);
    for (std::size_t i = 0; i < count; ++i) here[i] = static_cast<float>(i);
    calls = device.calls();
  }

  shim::Copy2d up() const { return {there, bytes, here, bytes, bytes, 1, shim::Direction::to_device}; }
  shim::Copy2d down() const { return {here, bytes, there, bytes, bytes, 1, shim::Direction::to_host}; }
  /// What is in device memory.
  std::vector<float> seen() const { return std::vector<float>(there, there + count); }
};

inline bool all_nan(const std::vector<float>& values, std::size_t first) {
  return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
                     [](float value) { return std::isnan(value); });
}

}  // namespace ladder::test
