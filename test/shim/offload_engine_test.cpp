// SPDX-License-Identifier: MIT
// Products of host matrices through a GPU that a fake plays: what arrives in C, what overlaps and what is held.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "fake_gpu_events.hpp"
#include "offload_run.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

namespace {

std::vector<ProductShape> shapes() {
  std::vector<ProductShape> all;
  for (const Op op_a : {Op::none, Op::transpose})
    for (const Op op_b : {Op::none, Op::transpose})
      for (const float beta : {0.0f, 3.0f}) all.push_back({200, 170, 45, op_a, op_b, 2.0f, beta});
  all.push_back({1, 1, 1});
  all.push_back({700, 3, 20, Op::transpose, Op::none, -1.0f, 1.0f});
  all.push_back({3, 700, 20, Op::none, Op::transpose});
  all.push_back({40, 50, 3000, Op::none, Op::none, 1.0f, -2.0f});
  all.push_back({40, 50, 3000, Op::transpose, Op::transpose});
  all.push_back({1700, 90, 0, Op::transpose, Op::none, 2.0f, 3.0f});
  all.push_back({100, 90, 0, Op::none, Op::none, 2.0f, 3.0f});
  return all;
}

}  // namespace

TEST_CASE("the product arrives, whatever the layout, the memory and the chunks") {
  for (const OffloadLimits& limits : {roomy, tight}) {
    FakeGpuDevice device(8 * mib);
    OffloadEngine engine(device, copying_threads, limits);
    for (const ProductShape& shape : shapes()) {
      CAPTURE(shape.m);
      CAPTURE(shape.k);
      CAPTURE(shape.beta);
      HostProduct product(shape);
      const OffloadOutcome outcome = run(engine, product);
      CHECK(outcome.status == launch_ok);
      CHECK(outcome.ordinals == std::vector<int>{0});
      CHECK(outcome.unwritten.empty());
      CHECK(product.is_right());
      if (limits.memory > 0) CHECK(device.device_memory().most_held() <= limits.memory);
    }
    CHECK(device.pageable_copies() == 0);
  }
}

TEST_CASE(
    "without a lap to time nothing is held back: panels go up and results come down while products are computed") {
  FakeGpuDevice device(64 * mib);
  using std::chrono::microseconds;
  device.delay = [](Work work) { return work == Work::run ? microseconds(4000) : microseconds(100); };
  OffloadEngine engine(device, copying_threads, {160 * kib, 64 * mib, mib});
  HostProduct product({200, 170, 45});
  REQUIRE(run(engine, product).status == launch_ok);
  CHECK(product.is_right());
  int up_during_run = 0;
  int down_during_run = 0;
  const std::vector<WorkEntry> log = device.log();
  for (const WorkEntry& product_run : log) {
    if (product_run.work != Work::run) continue;
    for (const WorkEntry& other : log) {
      if (!overlap(product_run, other)) continue;
      up_during_run += other.work == Work::copy_to_device;
      down_during_run += other.work == Work::copy_to_host;
    }
  }
  CHECK(up_during_run > 0);
  CHECK(down_during_run > 0);
}

TEST_CASE("C is sent only where beta asks for it, and every panel once where all stay") {
  for (const float beta : {0.0f, 1.0f}) {
    FakeGpuDevice device(8 * mib);
    OffloadEngine engine(device, copying_threads, roomy);
    HostProduct product({200, 170, 45, Op::none, Op::none, 1.0f, beta});
    REQUIRE(run(engine, product).status == launch_ok);
    std::size_t up = 0;
    std::size_t down = 0;
    for (const WorkEntry& entry : device.log()) {
      if (entry.work == Work::copy_to_device) up += entry.bytes;
      if (entry.work == Work::copy_to_host) down += entry.bytes;
    }
    const std::size_t c_bytes = sizeof(float) * 200 * 170;
    CHECK(down == c_bytes);
    CHECK(up == sizeof(float) * (200 + 170) * 45 + (beta == 0.0f ? 0 : c_bytes));
  }
}

TEST_CASE("matrices that the GPU reaches by itself are not copied by threads, and a C that must survive is") {
  for (const float beta : {0.0f, 2.0f}) {
    for (const PointerKind kind : {PointerKind::pinned, PointerKind::managed}) {
      FakeGpuDevice device(8 * mib);
      OffloadEngine engine(device, copying_threads, tight);
      HostProduct product({200, 170, 45, Op::none, Op::transpose, 2.0f, beta});
      const auto bytes = [](const std::vector<float>& matrix) { return matrix.size() * sizeof(float); };
      device.set_kind(product.a.data(), bytes(product.a), kind);
      device.set_kind(product.c.data(), bytes(product.c), PointerKind::pinned);
      REQUIRE(run(engine, product).status == launch_ok);
      CHECK(product.is_right());
      bool a_by_itself = false;
      bool c_by_itself = false;
      const auto lies_in = [&](const std::vector<float>& matrix, const void* address) {
        return address >= matrix.data() && address < matrix.data() + matrix.size();
      };
      for (const WorkEntry& entry : device.log()) {
        if (entry.bytes == 0) continue;
        a_by_itself |= lies_in(product.a, entry.from);
        c_by_itself |= lies_in(product.c, entry.to);
      }
      CHECK(a_by_itself);
      CHECK(c_by_itself == (beta == 0.0f));
    }
  }
}

TEST_CASE("between calls no more device memory is held than allowed, and what is held is used again") {
  for (const std::size_t keep : {std::size_t{0}, 64 * mib}) {
    FakeGpuDevice device(8 * mib);
    OffloadEngine engine(device, copying_threads, {0, keep, 64 * kib});
    for (int call = 0; call < 3; ++call) {
      HostProduct product({200, 170, 45});
      REQUIRE(run(engine, product).status == launch_ok);
      CHECK(device.device_memory().held() <= keep);
    }
    CHECK(device.device_memory().given() == (keep == 0 ? 9 : 3));
    CHECK(device.pinned_memory().given() == 2);
    CHECK(device.pinned_memory().held() <= 64 * kib);
    CHECK(device.streams() == 3);
  }
}

TEST_CASE("each context has its own streams and memory") {
  FakeGpuDevice device(8 * mib);
  OffloadEngine engine(device, copying_threads, roomy);
  for (const int context : {0, 5, 0}) {
    device.context = context;
    HostProduct product({60, 50, 40});
    const OffloadOutcome outcome = run(engine, product);
    CHECK(outcome.status == launch_ok);
    CHECK(outcome.ordinals == std::vector<int>{context});
    CHECK(product.is_right());
  }
  CHECK(device.streams() == 6);
}

TEST_CASE("threads that call at once all get their products") {
  FakeGpuDevice device(8 * mib);
  OffloadEngine engine(device, copying_threads, tight);
  std::vector<std::jthread> threads;
  std::array<bool, 4> right{};
  for (std::size_t i = 0; i < right.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int call = 0; call < 3; ++call) {
        HostProduct product({100 + static_cast<std::int64_t>(i) * 30, 90, 45, Op::none, Op::none, 1.0f, 1.0f});
        GpuLap lap(nullptr);
        right[i] = engine.run(default_rung(), product.problem, lap).status == launch_ok && product.is_right();
      }
    });
  }
  threads.clear();
  for (const bool ok : right) CHECK(ok);
}

TEST_CASE("the log's time is that from the first product to the last") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  FakeGpuDevice device(8 * mib);
  OffloadEngine engine(device, copying_threads, tight);
  HostProduct product({200, 170, 45});
  GpuTally tally;
  GpuLap lap(&stopwatch);
  REQUIRE(engine.run(default_rung(), product.problem, lap).status == launch_ok);
  CHECK(events.records() == 2);
  lap.hand_in(tally, 1.0);
  events.pass();
  stopwatch.collect(std::chrono::milliseconds(0));
  CHECK(tally.laps == 1);
}

TEST_CASE("matrices of a GPU are multiplied where they are") {
  FakeGpuDevice device(8 * mib);
  OffloadEngine engine(device, copying_threads, roomy);
  HostProduct product({60, 50, 40, Op::none, Op::none, 2.0f, 3.0f});
  for (std::vector<float>* matrix : {&product.a, &product.b, &product.c})
    device.set_kind(matrix->data(), matrix->size() * sizeof(float), PointerKind::device);
  CHECK(run(engine, product).status == launch_ok);
  CHECK(product.is_right());
  CHECK(device.device_memory().held() == 0);
  CHECK(device.pinned_memory().held() == 0);

  device.fault = {device.calls() + 2, Fault::Course::once};
  CHECK(run(engine, product).lost);  // no CPU could go on
}
