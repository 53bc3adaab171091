// SPDX-License-Identifier: MIT
// The GPU that tests stream through: the memory that it has, and what it takes amiss.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "fake_gpu_bench.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

namespace {

std::string only_misuse(FakeGpuDevice& device) {
  const std::vector<std::string> misuses = device.misuses();
  REQUIRE(misuses.size() == 1);
  return misuses.front();
}

}  // namespace

TEST_CASE("memory has an end, which others come nearer to") {
  FakeGpuDevice device(1000);
  device.most_pinned_bytes = 100;
  void *first = nullptr, *second = nullptr, *pinned = nullptr;
  std::size_t left = 0;
  REQUIRE(device.allocate(first, 600) == launch_ok);
  CHECK(std::isnan(static_cast<float*>(first)[0]));
  CHECK(device.allocate(second, 401) == launch_no_memory);
  REQUIRE(device.free_memory(left) == launch_ok);
  CHECK(left == 400);
  device.held_by_others = 100;
  device.held_unseen = 100;
  REQUIRE(device.free_memory(left) == launch_ok);
  CHECK(left == 300);
  CHECK(device.allocate(second, 300) == launch_no_memory);
  REQUIRE(device.allocate(second, 200) == launch_ok);
  device.release(first);
  CHECK(device.device_memory().held() == 200);
  CHECK(device.device_memory().most_held() == 800);
  CHECK(device.allocate_pinned(pinned, 101) == launch_no_memory);
  REQUIRE(device.allocate_pinned(pinned, 100) == launch_ok);
  device.context = 1;  // has memory of its own
  REQUIRE(device.free_memory(left) == launch_ok);
  CHECK(left == 900);
}

TEST_CASE("addresses are of the kind that was said, and pageable otherwise") {
  FakeGpuBench bench;
  float ours[4] = {};
  bench.device.set_kind(ours, 2 * sizeof(float), PointerKind::managed);
  CHECK(bench.device.kind_of(bench.there + 1) == PointerKind::device);
  CHECK(bench.device.kind_of(bench.here + 1) == PointerKind::pinned);
  CHECK(bench.device.kind_of(ours + 1) == PointerKind::managed);
  CHECK(bench.device.kind_of(ours + 2) == PointerKind::pageable);
  Copy2d copy = bench.up();
  copy.from = ours;
  copy.width = 2 * sizeof(float);
  copy.direction = Direction::by_address;
  CHECK(bench.device.copy(copy, bench.streams[0]) == launch_ok);
  copy.from = ours + 2;
  CHECK(bench.device.copy(copy, bench.streams[0]) == launch_ok);
  CHECK(bench.device.pageable_copies() == 1);
  const std::vector<WorkEntry> log = bench.device.log();
  CHECK(log[0].work == Work::copy_on_device);
  CHECK(log[1].work == Work::copy_to_device);
}

TEST_CASE("misuse is noted") {
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  const Stream stream = bench.streams[0];

  Copy2d longer = bench.up();
  longer.from_pitch = longer.to_pitch = longer.width;
  longer.rows = 2;
  std::vector<float> source(2 * FakeGpuBench::count);
  longer.from = source.data();
  CHECK(device.copy(longer, stream) == launch_ok);
  CHECK(only_misuse(device) == "copied to device memory that is too small");

  device.context = 1;
  CHECK(device.copy(bench.up(), stream) == launch_ok);
  CHECK(device.misuses() ==
        std::vector<std::string>{"a stream of another context", "copied to device memory that is of another context"});
  device.context = 0;
  REQUIRE(device.synchronize(stream) == launch_ok);
  CHECK(all_nan(bench.seen(), 0));  // none of it was done

  device.hold();
  CHECK(device.copy(bench.up(), stream) == launch_ok);
  device.release_pinned(bench.here);
  CHECK(only_misuse(device) == "released while a stream uses it");
  device.go_on();
  REQUIRE(device.synchronize(stream) == launch_ok);
  CHECK(device.copy(bench.up(), stream) == launch_ok);
  CHECK(only_misuse(device) == "copied from pinned memory that is released");
  device.release_pinned(bench.here);
  CHECK(only_misuse(device) == "released twice");
  device.release(bench.here);
  CHECK(only_misuse(device) == "released what was never allocated");
  REQUIRE(device.synchronize(stream) == launch_ok);
  CHECK(device.synchronize(&device) != launch_ok);
  CHECK(only_misuse(device) == "a stream that was never made");
}
