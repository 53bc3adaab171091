// SPDX-License-Identifier: MIT
// What becomes of C when anything fails on the way through a GPU.
#include <doctest/doctest.h>

#include <string_view>
#include <vector>

#include "offload_run.hpp"
#include "serve_offload.hpp"

using namespace ladder;
using namespace ladder::shim;
using namespace ladder::test;

TEST_CASE("whatever call fails, and however, C is made whole from what is left, and the next call goes well") {
  for (const Fault::Course course : {Fault::Course::once, Fault::Course::late, Fault::Course::forever}) {
    for (const float beta : {0.0f, 3.0f}) {
      const ProductShape shape{70, 65, 20, Op::none, Op::none, 2.0f, beta};
      const OffloadLimits limits{64 * kib, 64 * mib, 32 * kib};
      bool reached_the_end = false;
      int failures = 0;
      for (int at = 0; !reached_the_end; at += next_failure) {
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
      CHECK(failures > 20 / next_failure);
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

TEST_CASE("in a forked child of a parent that has used the GPU every call goes to the CPU at once") {
  FakeGpuDevice device(8 * mib);
  // Its threads are alive here, unlike in a child, and it lets go of them: so it stays.
  static OffloadEngine& fresh = *new OffloadEngine(device, copying_threads, roomy);
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
    GpuLap untimed(nullptr);
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
