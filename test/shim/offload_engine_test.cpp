// SPDX-License-Identifier: MIT
// Products of host matrices through a GPU that a fake plays: what arrives in C, what overlaps, what is held, and what
// becomes of C when anything fails.
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "fake_gpu_device.hpp"
#include "fake_gpu_events.hpp"
#include "host_product.hpp"
#include "offload/engine.hpp"
#include "serve_offload.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = kib * kib;
constexpr int copying_threads = 2;
const OffloadLimits roomy{0, 64 * mib, 64 * kib};
const OffloadLimits tight{160 * kib, 64 * mib, 32 * kib};  // panels of 32 or 64, and one side's pass by
GpuLap untimed(nullptr);

OffloadOutcome run(OffloadEngine& engine, HostProduct& product) {
  return engine.run(default_rung(), product.problem, untimed);
}

/// What is left to others, computed as they would.
void finish_elsewhere(HostProduct& product, const OffloadOutcome& outcome) {
  for (const Rectangle& part : outcome.unwritten) product.compute({part.m0, part.m, part.n0, part.n});
}

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
      CHECK(outcome.ordinal == 0);
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

TEST_CASE("whatever call fails, and however, C is made whole from what is left, and the next call goes well") {
  for (const Fault::Course course : {Fault::Course::once, Fault::Course::late, Fault::Course::forever}) {
    for (const float beta : {0.0f, 3.0f}) {
      const ProductShape shape{70, 65, 20, Op::none, Op::none, 2.0f, beta};
      const OffloadLimits limits{64 * kib, 64 * mib, 32 * kib};
      bool reached_the_end = false;
      int failures = 0;
      for (int at = 0; !reached_the_end; ++at) {
        CAPTURE(static_cast<int>(course));
        CAPTURE(beta);
        CAPTURE(at);
        FakeGpuDevice device(8 * mib);
        device.fault = {at, course};
        OffloadEngine engine(device, copying_threads, limits);
        HostProduct product(shape);
        const OffloadOutcome outcome = run(engine, product);
        reached_the_end = device.calls() <= at;
        CHECK_FALSE(outcome.lost);
        CHECK((outcome.status != launch_ok) == !outcome.unwritten.empty());
        failures += outcome.status != launch_ok;
        CHECK(device.idle());
        finish_elsewhere(product, outcome);
        CHECK(product.is_right());
        if (course != Fault::Course::once || reached_the_end) continue;
        HostProduct again(shape);
        CHECK(run(engine, again).status == launch_ok);
        CHECK(again.is_right());
      }
      CHECK(failures > 20);
    }
  }
}

TEST_CASE("memory that somebody else has taken means smaller parts, and no memory at all means the CPU") {
  FakeGpuDevice device(mib);
  OffloadEngine engine(device, copying_threads, {0, 64 * mib, 32 * kib});
  device.held_unseen = 600 * kib;
  HostProduct product({300, 290, 300});  // all of it would take more than what is left
  CHECK(run(engine, product).status == launch_ok);
  CHECK(product.is_right());

  FakeGpuDevice full(mib);
  full.held_by_others = mib;
  OffloadEngine on_full(full, copying_threads, {0, 64 * mib, 32 * kib});
  HostProduct untouched({300, 290, 300, Op::none, Op::none, 1.0f, 2.0f});
  const std::vector<float> before = untouched.c;
  const OffloadOutcome outcome = run(on_full, untouched);
  CHECK(outcome.status != launch_ok);
  CHECK(outcome.untouched);
  CHECK(HostProduct::same_bytes(untouched.c, before));
  finish_elsewhere(untouched, outcome);
  CHECK(untouched.is_right());
}

TEST_CASE("no pinned memory means the CPU, until there is some") {
  FakeGpuDevice device(mib);
  device.most_pinned_bytes = 0;
  OffloadEngine engine(device, copying_threads, roomy);
  HostProduct product({50, 40, 30});
  CHECK(run(engine, product).untouched);
  device.most_pinned_bytes = SIZE_MAX;
  CHECK(run(engine, product).status == launch_ok);
  CHECK(product.is_right());
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
    CHECK(outcome.ordinal == context);
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

TEST_CASE("in a forked child of a parent that has used the GPU every call goes to the CPU at once") {
  FakeGpuDevice device(8 * mib);
  OffloadEngine fresh(device, copying_threads, roomy);
  fresh.abandon_in_child();  // its parent had not used it: the child may
  HostProduct product({50, 40, 30});
  CHECK(run(fresh, product).status == launch_ok);
  fresh.abandon_in_child();
  const int calls = device.calls();
  HostProduct left({50, 40, 30});
  const OffloadOutcome outcome = run(fresh, left);
  CHECK(outcome.untouched);
  CHECK(device.calls() == calls);
  finish_elsewhere(left, outcome);
  CHECK(left.is_right());
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

TEST_CASE("what a GPU leaves undone is computed on the CPU, and the log learns why") {
  int finished_elsewhere = 0;
  int not_begun = 0;
  for (int at = 0; at < 700; at += 23) {
    CAPTURE(at);
    FakeGpuDevice device(8 * mib);
    device.fault = {at, Fault::Course::late};
    OffloadEngine engine(device, copying_threads, tight);
    HostProduct product({300, 200, 30, Op::none, Op::transpose, 2.0f, 3.0f});
    const std::vector<float> before = product.c;
    Served served;
    const Attempt attempt =
        serve_offloaded(engine, default_rung(), Door::sgemm_, product.problem, nullptr, served, untimed);
    CHECK(attempt.others_may_try);
    if (attempt.failure != nullptr) {
      ++not_begun;
      CHECK(HostProduct::same_bytes(product.c, before));
      continue;
    }
    CHECK(product.is_right());
    if (served.failure == nullptr) continue;
    ++finished_elsewhere;
    CHECK(std::string_view(served.why) == "fallback");
  }
  CHECK(not_begun > 0);
  CHECK(finished_elsewhere > 5);
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
