// SPDX-License-Identifier: MIT
// The GPU that tests stream through: that it is as late, as bounded and as easily offended as they rely on.
#include "fake_gpu_device.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;
using std::chrono::milliseconds;

namespace {

/// A device with two streams, an event, and 16 floats on either side.
struct Bench {
  static constexpr std::size_t count = 16;
  static constexpr std::size_t bytes = count * sizeof(float);

  FakeGpuDevice device{1 << 20};
  Stream streams[2] = {};
  Event event = nullptr;
  float* there = nullptr;
  float* here = nullptr;
  int calls = 0;

  Bench() {
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

  Copy2d up() const { return {there, bytes, here, bytes, bytes, 1, Direction::to_device}; }
  Copy2d down() const { return {here, bytes, there, bytes, bytes, 1, Direction::to_host}; }
  /// What is in device memory.
  std::vector<float> seen() const { return std::vector<float>(there, there + count); }
};

bool all_nan(const std::vector<float>& values, std::size_t first) {
  return std::all_of(values.begin() + static_cast<std::ptrdiff_t>(first), values.end(),
                     [](float value) { return std::isnan(value); });
}

std::string only_misuse(FakeGpuDevice& device) {
  const std::vector<std::string> misuses = device.misuses();
  REQUIRE(misuses.size() == 1);
  return misuses.front();
}

}  // namespace

TEST_CASE("work is done later, in order, and the host learns of it by asking") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  device.delay = [](Work) { return milliseconds(20); };
  bool passed = true;
  REQUIRE(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
  REQUIRE(device.has_passed(bench.event, passed) == launch_ok);
  CHECK_FALSE(passed);
  CHECK_FALSE(device.idle());
  while (!passed && device.has_passed(bench.event, passed) == launch_ok) std::this_thread::yield();
  REQUIRE(passed);
  CHECK(bench.seen() == std::vector<float>(bench.here, bench.here + Bench::count));

  std::fill_n(bench.here, Bench::count, 0.0f);
  REQUIRE(device.copy(bench.down(), bench.streams[0]) == launch_ok);
  REQUIRE(device.synchronize(bench.streams[0]) == launch_ok);
  CHECK(bench.seen() == std::vector<float>(bench.here, bench.here + Bench::count));
  const std::vector<WorkEntry> log = device.log();
  REQUIRE(log.size() == 3);
  CHECK((log[0].work == Work::copy_to_device && log[0].bytes == Bench::bytes));
  CHECK((log[1].work == Work::record && log[1].began > log[0].ended));
  CHECK(log[2].work == Work::copy_to_host);
  CHECK(device.pageable_copies() == 0);
}

TEST_CASE("streams overlap, unless one waits for an event of another") {
  for (const bool waits : {false, true}) {
    Bench bench;
    FakeGpuDevice& device = bench.device;
    device.delay = [](Work work) { return milliseconds(work == Work::copy_to_device ? 30 : 0); };
    Copy2d half = bench.up();
    half.width /= 2;
    Copy2d other = half;
    other.to = bench.there + Bench::count / 2;
    other.from = bench.here + Bench::count / 2;
    REQUIRE(device.copy(half, bench.streams[0]) == launch_ok);
    REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
    if (waits) REQUIRE(device.wait(bench.streams[1], bench.event) == launch_ok);
    REQUIRE(device.copy(other, bench.streams[1]) == launch_ok);
    std::vector<WorkEntry> copies = device.log();
    std::erase_if(copies, [](const WorkEntry& entry) { return entry.work != Work::copy_to_device; });
    REQUIRE(copies.size() == 2);
    CHECK(overlap(copies[0], copies[1]) == !waits);
    if (waits) CHECK(copies[0].stream == 0);
  }
}

TEST_CASE("a wait is for the record that was the last when it was enqueued") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  device.delay = [](Work work) { return milliseconds(work == Work::copy_to_device ? 30 : 0); };
  REQUIRE(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
  REQUIRE(device.wait(bench.streams[1], bench.event) == launch_ok);
  Stream third = nullptr;
  REQUIRE(device.make_stream(third) == launch_ok);
  REQUIRE(device.record(bench.event, third) == launch_ok);
  REQUIRE(device.synchronize(third) == launch_ok);
  bool passed = false;
  CHECK(device.has_passed(bench.event, passed) == launch_ok);
  CHECK(passed);
  REQUIRE(device.synchronize(bench.streams[1]) == launch_ok);
  CHECK(bench.seen()[1] == 1.0f);
}

TEST_CASE("without a stream there is the context's default one") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  REQUIRE(device.copy(bench.up(), nullptr) == launch_ok);
  REQUIRE(device.synchronize(nullptr) == launch_ok);
  CHECK(bench.seen()[1] == 1.0f);
  device.context = 1;
  REQUIRE(device.synchronize(nullptr) == launch_ok);
  CHECK(device.streams() == 4);
}

TEST_CASE("a product is summed in the order of k") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  constexpr std::int64_t m = 2, n = 2, k = 3;
  // op(A) op(B) + 2 C, of A as it is and B transposed.
  const float matrices[Bench::count] = {1, 2, 3, 4, 5, 6, 1, 0, 2, 1, 0, 1, 10, 20, 30, 40};
  std::copy_n(matrices, Bench::count, bench.here);
  GemmProblem problem;
  problem.op_b = Op::transpose;
  problem.m = m, problem.n = n, problem.k = k;
  problem.alpha.value = 1.0f;
  problem.beta.value = 2.0f;
  problem.a = bench.there, problem.lda = m;
  problem.b = bench.there + m * k, problem.ldb = n;
  problem.c = bench.there + m * k + k * n, problem.ldc = m;
  REQUIRE(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  REQUIRE(device.run(default_rung(), problem, bench.streams[0]) == launch_ok);
  REQUIRE(device.synchronize(bench.streams[0]) == launch_ok);
  const std::vector<float> seen = bench.seen();
  CHECK(std::vector<float>(seen.begin() + 12, seen.end()) == std::vector<float>{27, 50, 68, 90});
  const WorkEntry run = device.log().back();
  CHECK(run.work == Work::run);
  CHECK(run.m * run.n * run.k == m * n * k);
  CHECK(run.rung == &default_rung());
}

TEST_CASE("a call that fails alone leaves half a copy, and the next one goes well") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  device.fault = {bench.calls, Fault::Course::once, 7};
  CHECK(device.copy(bench.up(), bench.streams[0]) == 7);
  CHECK(device.synchronize(bench.streams[0]) == launch_ok);
  CHECK(bench.seen()[Bench::count / 2 - 1] == static_cast<float>(Bench::count / 2 - 1));
  CHECK(all_nan(bench.seen(), Bench::count / 2));
  CHECK(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  CHECK(device.synchronize(bench.streams[0]) == launch_ok);
  CHECK_FALSE(std::isnan(bench.seen().back()));
}

TEST_CASE("where all calls fail from one on, what was enqueued before is done") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  device.fault = {bench.calls + 1, Fault::Course::forever, 7};
  CHECK(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  CHECK(device.copy(bench.down(), bench.streams[0]) == 7);
  CHECK(device.record(bench.event, bench.streams[0]) == 7);
  CHECK(device.synchronize(bench.streams[0]) == 7);
  CHECK_FALSE(std::isnan(bench.seen().back()));
}

TEST_CASE("a failure that shows late loses the device") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  device.fault = {bench.calls, Fault::Course::late, 7};
  Copy2d rows = bench.up();  // half of it ends within a row
  rows.width = rows.to_pitch = rows.from_pitch = 5 * sizeof(float);
  rows.rows = 3;
  CHECK(device.copy(rows, bench.streams[0]) == launch_ok);
  static_cast<void>(device.record(bench.event, bench.streams[0]));  // the device may be lost already, or not yet
  CHECK(device.synchronize(bench.streams[0]) == 7);
  bool passed = true;
  CHECK(device.has_passed(bench.event, passed) == 7);
  CHECK_FALSE(passed);
  CHECK(device.copy(bench.up(), bench.streams[0]) == 7);
  CHECK(bench.seen()[6] == 6.0f);
  CHECK(all_nan(bench.seen(), 8));
}

TEST_CASE("a question whose answer is no does not count as a call") {
  Bench bench;
  FakeGpuDevice& device = bench.device;
  device.delay = [](Work) { return milliseconds(10); };
  REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
  bool passed = false;
  while (!passed && device.has_passed(bench.event, passed) == launch_ok) std::this_thread::yield();
  CHECK(device.calls() == bench.calls + 2);
}

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
  Bench bench;
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
  Bench bench;
  FakeGpuDevice& device = bench.device;
  const Stream stream = bench.streams[0];

  Copy2d longer = bench.up();
  longer.from_pitch = longer.to_pitch = longer.width;
  longer.rows = 2;
  std::vector<float> source(2 * Bench::count);
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

  device.delay = [](Work) { return milliseconds(20); };
  CHECK(device.copy(bench.up(), stream) == launch_ok);
  device.release_pinned(bench.here);
  CHECK(only_misuse(device) == "released while a stream uses it");
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
