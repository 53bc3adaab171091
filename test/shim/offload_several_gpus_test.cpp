// SPDX-License-Identifier: MIT
// Products that several GPUs share.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "offload_run.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

TEST_CASE("several GPUs share a product, each with a thread of its own, and the caller's context stays") {
  for (const OffloadLimits& limits : {roomy, tight}) {
    FakeGpuDevice device(8 * mib);
    device.device_count = 3;
    device.context = 7;
    device.delay = [](Work work) { return std::chrono::microseconds(work == Work::run ? 2000 : 0); };
    OffloadEngine engine(device, copying_threads, limits, {.kind = GpusSetting::Kind::all});
    for (const float beta : {0.0f, 3.0f}) {
      HostProduct product({1700, 170, 20, Op::none, Op::transpose, 2.0f, beta});
      const OffloadOutcome outcome = run(engine, product);
      CHECK(outcome.status == launch_ok);
      CHECK(outcome.ordinals == std::vector<int>{0, 1, 2});
      CHECK(product.is_right());
    }
    int context = 0;
    REQUIRE(device.current_context(context) == launch_ok);
    CHECK(context == 7);
    std::set<int> streams_with_products;
    for (const WorkEntry& entry : device.log()) {
      if (entry.work == Work::run) streams_with_products.insert(entry.stream);
    }
    CHECK(streams_with_products.size() == 3);
  }
}

TEST_CASE("a GPU of several that fails costs nothing but what it had begun") {
  const ProductShape shape{1100, 70, 10, Op::none, Op::none, 2.0f, 3.0f};
  int calls = 0;
  {
    FakeGpuDevice device(8 * mib);
    device.device_count = 2;
    OffloadEngine engine(device, copying_threads, roomy, {.kind = GpusSetting::Kind::all});
    HostProduct product(shape);
    REQUIRE(run(engine, product).status == launch_ok);
    calls = device.calls();
  }
  int served_by_the_other = 0;
  for (const Fault::Course course : {Fault::Course::once, Fault::Course::late}) {
    for (int at = 0; at < calls; at += next_failure) {
      CAPTURE(at);
      FakeGpuDevice device(8 * mib);
      device.device_count = 2;
      device.fault = {at, course};
      OffloadEngine engine(device, copying_threads, roomy, {.kind = GpusSetting::Kind::all});
      HostProduct product(shape);
      const OffloadOutcome outcome = run(engine, product);
      CHECK_FALSE(outcome.lost);
      CHECK((outcome.status != launch_ok) == !outcome.unwritten.empty());
      served_by_the_other += course == Fault::Course::once && outcome.status == launch_ok;
      CHECK(device.idle());
      finish_elsewhere(product, outcome);
      CHECK(product.is_right());
    }
  }
  CHECK(served_by_the_other > 0);
}

TEST_CASE("calls on several GPUs and calls from many threads do not wait for each other forever") {
  FakeGpuDevice device(8 * mib);
  device.device_count = 2;
  OffloadEngine engine(device, copying_threads, tight, {.kind = GpusSetting::Kind::listed, .ordinals = {1, 0}});
  std::array<bool, 3> right{};
  {
    std::vector<std::jthread> threads;
    for (bool& ok : right) {
      threads.emplace_back([&] {
        HostProduct product({150, 130, 20});
        GpuLap lap(nullptr);
        ok = engine.run(default_rung(), product.problem, lap).status == launch_ok && product.is_right();
      });
    }
  }
  for (const bool ok : right) CHECK(ok);
}

TEST_CASE("one process of several takes the GPU of its rank") {
  FakeGpuDevice device(8 * mib);
  device.device_count = 3;
  OffloadEngine engine(device, copying_threads, roomy, {.kind = GpusSetting::Kind::local_rank, .rank = 4});
  HostProduct product({60, 50, 40});
  const OffloadOutcome outcome = run(engine, product);
  CHECK(outcome.status == launch_ok);
  CHECK(outcome.ordinals == std::vector<int>{1});
  CHECK(product.is_right());
}

TEST_CASE("too little memory on several GPUs means smaller parts, and none at all the CPU") {
  FakeGpuDevice device(mib);
  device.device_count = 2;
  device.held_unseen = 600 * kib;
  OffloadEngine engine(device, copying_threads, {0, 64 * mib, 32 * kib}, {.kind = GpusSetting::Kind::all});
  HostProduct product({300, 290, 300});
  CHECK(run(engine, product).status == launch_ok);
  CHECK(product.is_right());

  FakeGpuDevice full(mib);
  full.device_count = 2;
  full.held_unseen = 2 * mib;
  OffloadEngine on_full(full, copying_threads, {0, 64 * mib, 32 * kib}, {.kind = GpusSetting::Kind::all});
  HostProduct untouched({300, 290, 300, Op::none, Op::none, 1.0f, 2.0f});
  const OffloadOutcome outcome = run(on_full, untouched);
  CHECK(outcome.status != launch_ok);
  CHECK(outcome.untouched);
  finish_elsewhere(untouched, outcome);
  CHECK(untouched.is_right());
}
