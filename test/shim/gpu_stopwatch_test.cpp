// SPDX-License-Identifier: MIT
// Laps on a GPU that a test moves on by hand: what is added up, what is not, and that events are used again.
#include "gpu_stopwatch.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "fake_gpu_events.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

constexpr auto once_over = std::chrono::milliseconds(0);
constexpr double lap_ns = FakeGpuEvents::ns_between_records;

Stream stream_number(std::uintptr_t number) { return reinterpret_cast<Stream>(number); }

/// One call's lap on the stream.
void run_lap(GpuStopwatch& stopwatch, GpuTally& tally, Stream stream, double flops = 1.0) {
  GpuLap lap(&stopwatch);
  lap.start(stream);
  lap.stop();
  lap.hand_in(tally, flops);
}

}  // namespace

TEST_CASE("a lap counts once the GPU has passed its end, and is not waited for before") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  run_lap(stopwatch, tally, stream_number(1), 6.0);
  stopwatch.collect(once_over);
  CHECK(tally.laps == 0);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == 1);
  CHECK(tally.nanoseconds == lap_ns);
  CHECK(tally.flops == 6.0);
  CHECK(events.misused() == 0);
}

TEST_CASE("no stopwatch: nothing is asked and nothing recorded") {
  GpuTally tally;
  GpuLap lap(nullptr);
  lap.start(nullptr);
  lap.stop();
  lap.hand_in(tally, 1.0);
  CHECK_FALSE(lap.captured());
  CHECK(tally.laps == 0);
}

TEST_CASE("in the steady state no event is made, and a call asks about two laps at most") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  constexpr int behind = 5;  // calls by which the GPU lags
  for (int i = 0; i < behind; ++i) run_lap(stopwatch, tally, nullptr);
  for (int i = 0; i < behind; ++i) {
    events.pass();
    run_lap(stopwatch, tally, nullptr);
  }
  const int made = events.made();
  CHECK(made <= 4 * behind);
  const int asked = events.questions();
  constexpr int calls = 1000;
  for (int i = 0; i < calls; ++i) {
    events.pass();
    run_lap(stopwatch, tally, nullptr);
  }
  CHECK(events.made() == made);
  CHECK(events.questions() - asked <= 2 * calls);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == calls + 2 * behind);
  CHECK(events.dropped() == 0);
}

TEST_CASE("a stream that does not get on does not hide the others") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally stuck, others;
  run_lap(stopwatch, stuck, stream_number(1));
  for (int i = 0; i < 100; ++i) {
    run_lap(stopwatch, others, stream_number(2));
    events.pass(stream_number(2));
  }
  CHECK(others.laps > 90);
  CHECK(stuck.laps == 0);
  CHECK(events.made() < 10);
}

TEST_CASE("with too many under way a call is not timed; nobody waits") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  constexpr int too_many = 3;
  for (int i = 0; i < GpuStopwatch::most_under_way + too_many; ++i) run_lap(stopwatch, tally, nullptr);
  CHECK(events.made() == 2 * GpuStopwatch::most_under_way);
  CHECK(events.records() == 2 * GpuStopwatch::most_under_way);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == GpuStopwatch::most_under_way);
  run_lap(stopwatch, tally, nullptr);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == GpuStopwatch::most_under_way + 1);
}

TEST_CASE("a captured call has no time: nothing is recorded on its stream") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  events.captured.insert(stream_number(1));
  GpuLap lap(&stopwatch);
  lap.start(stream_number(1));
  lap.stop();
  lap.hand_in(tally, 1.0);
  CHECK(lap.captured());
  CHECK(events.records() == 0);
  run_lap(stopwatch, tally, stream_number(2));
  CHECK(events.records() == 2);
  CHECK(events.misused() == 0);

  events.knows_streams = false;
  GpuLap unknown(&stopwatch);
  unknown.start(stream_number(1));
  CHECK_FALSE(unknown.captured());
  CHECK(events.records() == 2);
}

TEST_CASE("events stay in their context") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  for (const int context : {0, 1, 0, most_contexts - 1, 1}) {
    events.current_context = context;
    run_lap(stopwatch, tally, nullptr);
    events.pass();
  }
  CHECK(events.misused() == 0);
  CHECK(events.made() == 6);
  stopwatch.collect(once_over);
  CHECK(tally.laps == 5);
  events.current_context = -1;
  run_lap(stopwatch, tally, nullptr);
  CHECK(events.records() == 10);
}

TEST_CASE("what goes wrong costs the time of that call and no more") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  SUBCASE("there are no events") {
    events.gives_events = false;
    run_lap(stopwatch, tally, nullptr);
    events.gives_events = true;
  }
  SUBCASE("an event cannot be recorded before the work") {
    events.fails_on = nullptr;
    run_lap(stopwatch, tally, nullptr);
    events.fails_on = FakeGpuEvents::no_stream;
    CHECK(events.dropped() == 2);
  }
  SUBCASE("an event cannot be recorded after the work") {
    GpuLap lap(&stopwatch);
    lap.start(nullptr);
    events.fails_on = nullptr;
    lap.stop();
    events.fails_on = FakeGpuEvents::no_stream;
    lap.hand_in(tally, 1.0);
  }
  SUBCASE("the work failed, and was not stopped") {
    GpuLap lap(&stopwatch);
    lap.start(nullptr);
    lap.hand_in(tally, 1.0);
  }
  SUBCASE("the context is gone") {
    run_lap(stopwatch, tally, nullptr);
    events.lose();
    stopwatch.collect(once_over);
    CHECK(events.dropped() == 2);
  }
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == 0);
  run_lap(stopwatch, tally, nullptr);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == 1);
  CHECK(tally.nanoseconds == lap_ns);
  CHECK(events.made() <= 4);
  CHECK(events.misused() == 0);
}

TEST_CASE("a second start of a lap takes the place of the first") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  GpuLap lap(&stopwatch);
  lap.start(nullptr);
  lap.start(nullptr);
  lap.stop();
  lap.hand_in(tally, 1.0);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == 1);
  CHECK(tally.nanoseconds == lap_ns);
  CHECK(events.made() == 2);
}

TEST_CASE("laps under way can be forgotten; those that come after count") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  run_lap(stopwatch, tally, nullptr);
  stopwatch.forget();
  run_lap(stopwatch, tally, nullptr);
  events.pass();
  stopwatch.collect(once_over);
  CHECK(tally.laps == 1);
}

TEST_CASE("collecting gives up after a while") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  run_lap(stopwatch, tally, nullptr);
  const auto begin = std::chrono::steady_clock::now();
  constexpr auto patience = std::chrono::milliseconds(20);
  stopwatch.collect(patience);
  CHECK(std::chrono::steady_clock::now() - begin >= patience);
  CHECK(tally.laps == 0);
}

TEST_CASE("the child of a process that used its GPU times nothing") {
  FakeGpuEvents events;
  GpuStopwatch unused(events), used(events);
  GpuTally tally;
  unused.abandon_in_child();
  run_lap(unused, tally, nullptr);
  run_lap(used, tally, nullptr);
  events.pass();
  unused.collect(once_over);
  CHECK(tally.laps == 1);
  used.abandon_in_child();
  used.collect(once_over);
  used.forget();
  run_lap(used, tally, nullptr);
  CHECK(tally.laps == 1);
  CHECK(events.records() == 4);
}

TEST_CASE("no lap is lost between threads") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  GpuTally tally;
  constexpr int threads = 4;
  constexpr int calls = 250;
  std::vector<std::thread> pool;
  for (int t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      for (int i = 0; i < calls; ++i) {
        run_lap(stopwatch, tally, stream_number(t), 2.0);
        events.pass(stream_number(t));
      }
    });
  for (std::thread& thread : pool) thread.join();
  stopwatch.collect(once_over);
  CHECK(tally.laps == threads * calls);
  CHECK(tally.flops == 2.0 * threads * calls);
  CHECK(events.misused() == 0);
}
