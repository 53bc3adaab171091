// SPDX-License-Identifier: MIT
// The GPU that tests stream through: that it is as late, as bounded and as easily offended as they rely on.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <vector>

#include "fake_gpu_bench.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;
using std::chrono::milliseconds;

TEST_CASE("work is done later, in order, and the host learns of it by asking") {
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  device.hold();
  bool passed = true;
  REQUIRE(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
  REQUIRE(device.has_passed(bench.event, passed) == launch_ok);
  CHECK_FALSE(passed);
  CHECK_FALSE(device.idle());
  device.go_on();
  while (!passed && device.has_passed(bench.event, passed) == launch_ok) std::this_thread::yield();
  REQUIRE(passed);
  CHECK(bench.seen() == std::vector<float>(bench.here, bench.here + FakeGpuBench::count));

  std::fill_n(bench.here, FakeGpuBench::count, 0.0f);
  REQUIRE(device.copy(bench.down(), bench.streams[0]) == launch_ok);
  REQUIRE(device.synchronize(bench.streams[0]) == launch_ok);
  CHECK(bench.seen() == std::vector<float>(bench.here, bench.here + FakeGpuBench::count));
  const std::vector<WorkEntry> log = device.log();
  REQUIRE(log.size() == 3);
  CHECK((log[0].work == Work::copy_to_device && log[0].bytes == FakeGpuBench::bytes));
  CHECK((log[1].work == Work::record && log[1].began > log[0].ended));
  CHECK(log[2].work == Work::copy_to_host);
  CHECK(device.pageable_copies() == 0);
}

TEST_CASE("streams overlap, unless one waits for an event of another") {
  for (const bool waits : {false, true}) {
    FakeGpuBench bench;
    FakeGpuDevice& device = bench.device;
    Copy2d half = bench.up();
    half.width /= 2;
    Copy2d other = half;
    other.to = bench.there + FakeGpuBench::count / 2;
    other.from = bench.here + FakeGpuBench::count / 2;
    device.hold();
    REQUIRE(device.copy(half, bench.streams[0]) == launch_ok);
    REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
    if (waits) REQUIRE(device.wait(bench.streams[1], bench.event) == launch_ok);
    REQUIRE(device.copy(other, bench.streams[1]) == launch_ok);
    while (device.ticks() < 2) std::this_thread::yield();
    device.go_on();
    std::vector<WorkEntry> copies = device.log();
    std::erase_if(copies, [](const WorkEntry& entry) { return entry.work != Work::copy_to_device; });
    REQUIRE(copies.size() == 2);
    CHECK(overlap(copies[0], copies[1]) == !waits);
    if (waits) CHECK(copies[0].stream == 0);
  }
}

TEST_CASE("work takes as long as was wished") {
  FakeGpuBench bench;
  bench.device.delay = [](Work work) { return milliseconds(work == Work::record ? 30 : 0); };
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(bench.device.record(bench.event, bench.streams[0]) == launch_ok);
  REQUIRE(bench.device.synchronize(bench.streams[0]) == launch_ok);
  CHECK(std::chrono::steady_clock::now() - begin >= milliseconds(30));
}

TEST_CASE("a wait is for the record that was the last when it was enqueued") {
  FakeGpuBench bench;
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
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  REQUIRE(device.copy(bench.up(), nullptr) == launch_ok);
  REQUIRE(device.synchronize(nullptr) == launch_ok);
  CHECK(bench.seen()[1] == 1.0f);
  device.context = 1;
  REQUIRE(device.synchronize(nullptr) == launch_ok);
  CHECK(device.streams() == 4);
}

TEST_CASE("a product is summed in the order of k") {
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  constexpr std::int64_t m = 2, n = 2, k = 3;
  // op(A) op(B) + 2 C, of A as it is and B transposed.
  const float matrices[FakeGpuBench::count] = {1, 2, 3, 4, 5, 6, 1, 0, 2, 1, 0, 1, 10, 20, 30, 40};
  std::copy_n(matrices, FakeGpuBench::count, bench.here);
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
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  device.fault = {bench.calls, Fault::Course::once, 7};
  CHECK(device.copy(bench.up(), bench.streams[0]) == 7);
  CHECK(device.synchronize(bench.streams[0]) == launch_ok);
  CHECK(bench.seen()[FakeGpuBench::count / 2 - 1] == static_cast<float>(FakeGpuBench::count / 2 - 1));
  CHECK(all_nan(bench.seen(), FakeGpuBench::count / 2));
  CHECK(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  CHECK(device.synchronize(bench.streams[0]) == launch_ok);
  CHECK_FALSE(std::isnan(bench.seen().back()));
}

TEST_CASE("where all calls fail from one on, what was enqueued before is done") {
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  device.fault = {bench.calls + 1, Fault::Course::forever, 7};
  CHECK(device.copy(bench.up(), bench.streams[0]) == launch_ok);
  CHECK(device.copy(bench.down(), bench.streams[0]) == 7);
  CHECK(device.record(bench.event, bench.streams[0]) == 7);
  CHECK(device.synchronize(bench.streams[0]) == 7);
  CHECK_FALSE(std::isnan(bench.seen().back()));
}

TEST_CASE("a failure that shows late loses the device") {
  FakeGpuBench bench;
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
  FakeGpuBench bench;
  FakeGpuDevice& device = bench.device;
  device.hold();
  REQUIRE(device.record(bench.event, bench.streams[0]) == launch_ok);
  bool passed = true;
  REQUIRE(device.has_passed(bench.event, passed) == launch_ok);
  CHECK_FALSE(passed);
  CHECK(device.calls() == bench.calls + 1);
  device.go_on();
  while (!passed && device.has_passed(bench.event, passed) == launch_ok) std::this_thread::yield();
  CHECK(device.calls() == bench.calls + 2);
}
