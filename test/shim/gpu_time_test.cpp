// SPDX-License-Identifier: MIT
// LADDER_LOG=summary LADDER_LOG_TIME=gpu, both set by whoever runs this: which part of a call is timed on its GPU,
// whose part FakeGpuEvents plays, and where the time ends up.
#include <doctest/doctest.h>

#include <string>

#include "counters.hpp"
#include "fake_gpu_events.hpp"
#include "hand_on.hpp"
#include "serve_device.hpp"
#include "summary.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

constexpr auto once_over = std::chrono::milliseconds(0);

GemmProblem some_problem() {
  GemmProblem p;
  p.m = p.n = p.k = 100;
  return p;
}

/// Rung 9 with a kernel that cannot be launched.
const Rung& failing_rung() {
  static const RungKernel kernel{{8, 8, 8, 1}, [](const GemmProblem&, Stream) -> LaunchStatus { return 209; }};
  static const Rung rung = [] {
    Rung copy = default_rung();
    copy.gpu = &kernel;
    return copy;
  }();
  return rung;
}

/// What the summary has of the calls through `door`.
struct Times {
  std::string names;
  std::uint64_t calls = 0, captured = 0, laps = 0, nanoseconds = 0;
};
Times times_of(Door door) {
  Times times;
  summary_table().for_each([&](const SummaryKey& key, const SummaryRow& row) {
    if (key.door != door) return;
    times.names += std::string(key.served.rung->name) + ' ';
    times.calls += row.calls;
    times.captured += row.captured;
    times.laps += row.gpu.laps;
    times.nanoseconds += row.gpu.nanoseconds;
  });
  return times;
}

const Route to_cublas{Target::next, &cublas_rung(), "LADDER_RUNG"};
cublas::CudaStream some_stream() { return reinterpret_cast<cublas::CudaStream>(std::uintptr_t{16}); }

}  // namespace

TEST_CASE("a call is timed from before its work is enqueued to after it") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  summary_table().reset();
  const auto real = [&] {
    CHECK(events.records() == 1);
    return cublas::STATUS_SUCCESS;
  };
  {
    CallRecord record(Door::cublasSgemm_v2, &stopwatch);
    CHECK(follow_plan(record, Plan().then(to_cublas), some_problem(), some_stream(), real) == cublas::STATUS_SUCCESS);
  }
  CHECK(events.records() == 2);
  CHECK(times_of(Door::cublasSgemm_v2).laps == 0);
  events.pass(some_stream());
  stopwatch.collect(once_over);
  const Times times = times_of(Door::cublasSgemm_v2);
  CHECK(times.names == "cublas ");
  CHECK(times.calls == 1);
  CHECK(times.laps == 1);
  CHECK(times.nanoseconds == FakeGpuEvents::ns_between_records);
  const std::string text = format_summary(summary_table(), logs_gpu_time());
  CHECK(text.find(" square ") != std::string::npos);
  CHECK(text.find(" 0.001 ") != std::string::npos);  // a microsecond
  CHECK(text.find(" 2.000 ") != std::string::npos);  // for 2e6 operations
}

TEST_CASE("of a fallback only the work that was done is timed") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  summary_table().reset();
  const Plan plan =
      Plan().then({Target::gpu, &failing_rung(), "default"}).then({Target::next, &cublas_rung(), nullptr});
  {
    CallRecord record(Door::cublasSgemm_v2, &stopwatch);
    const auto real = [] { return cublas::STATUS_SUCCESS; };
    CHECK(follow_plan(record, plan, some_problem(), some_stream(), real) == cublas::STATUS_SUCCESS);
  }
  CHECK(events.records() == 3);
  events.pass();
  stopwatch.collect(once_over);
  const Times times = times_of(Door::cublasSgemm_v2);
  CHECK(times.laps == 1);
  CHECK(times.nanoseconds == FakeGpuEvents::ns_between_records);
}

TEST_CASE("a call that failed has no time, one that was captured is counted as such") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  summary_table().reset();
  {
    CallRecord record(Door::cublasSgemm_v2, &stopwatch);
    const auto real = [] { return cublas::STATUS_INVALID_VALUE; };
    CHECK(follow_plan(record, Plan().then(to_cublas), some_problem(), some_stream(), real) ==
          cublas::STATUS_INVALID_VALUE);
  }
  CHECK(events.records() == 1);
  events.captured.insert(some_stream());
  {
    CallRecord record(Door::cublasSgemm_v2, &stopwatch);
    const auto real = [] { return cublas::STATUS_SUCCESS; };
    follow_plan(record, Plan().then(to_cublas), some_problem(), some_stream(), real);
  }
  CHECK(events.records() == 1);
  events.pass();
  stopwatch.collect(once_over);
  const Times times = times_of(Door::cublasSgemm_v2);
  CHECK(times.calls == 2);
  CHECK(times.laps == 0);
  CHECK(times.captured == 1);
}

TEST_CASE("calls that are not ours to serve are in the summary, and not among the counts") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  summary_table().reset();
  reset_counters();
  {
    CallRecord record(Door::cublasGemmEx, &stopwatch);
    record.gpu_lap().start(some_stream());
    record.gpu_lap().stop();
    record.close_passed_on(served_by_real(why_types));
  }
  events.pass();
  stopwatch.collect(once_over);
  const Times times = times_of(Door::cublasGemmEx);
  CHECK(times.names == "cublas ");
  CHECK(times.laps == 1);
  CHECK(count_of(std::nullopt, nullptr) == 0);
}

TEST_CASE("what is forgotten is not added up later") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  summary_table().reset();
  {
    CallRecord record(Door::cublasSgemm_v2, &stopwatch);
    const auto real = [] { return cublas::STATUS_SUCCESS; };
    follow_plan(record, Plan().then(to_cublas), some_problem(), some_stream(), real);
  }
  forget_calls();
  stopwatch.forget();
  CHECK(summary_table().empty());
  events.pass();
  stopwatch.collect(once_over);
  CHECK(times_of(Door::cublasSgemm_v2).laps == 0);
}
