// SPDX-License-Identifier: MIT
// Host-pointer calls on a GPU: what is copied, and what becomes of C when a step fails.
#include "host_offload.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "fake_gpu_events.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

constexpr LaunchStatus injected_failure = 2;
GpuLap untimed(nullptr);
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Host memory in the part of a GPU's. Step number `fails_at` (from 0) fails, and a failing copy has
/// already moved half of its bytes.
class FakeDevice final : public GpuDevice {
 public:
  int fails_at = -1;
  int steps = 0;
  int copies_in = 0;
  int context = 0;
  bool waited = false;
  const FakeGpuEvents* events = nullptr;  // of whom the records are counted
  int records_before_run = -1;
  int records_at_copy_out = -1;

  bool works() override { return true; }
  LaunchStatus current(int& ordinal) override {
    ordinal = 0;
    return step();
  }
  LaunchStatus current_context(int& number) override {
    number = context;
    return step();
  }
  LaunchStatus make_stream(Stream& stream) override {
    stream = this;
    return step();
  }
  LaunchStatus allocate(void*& memory, std::size_t bytes) override {
    if (step() != launch_ok) return injected_failure;
    auto floats = std::make_unique<float[]>(bytes / sizeof(float));
    std::fill_n(floats.get(), bytes / sizeof(float), nan);
    memory = floats.get();
    memory_[memory] = std::move(floats);
    return launch_ok;
  }
  void release(void* memory) override { memory_.erase(memory); }
  LaunchStatus copy(const Copy2d& c, Stream) override {
    const LaunchStatus status = step();
    waited = false;
    copies_in += c.direction == Direction::to_device;
    if (events && c.direction == Direction::to_host) records_at_copy_out = events->records();
    const std::size_t rows = status == launch_ok ? c.rows : c.rows / 2;
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(static_cast<char*>(c.to) + row * c.to_pitch, static_cast<const char*>(c.from) + row * c.from_pitch,
                  c.width);
    return status;
  }
  LaunchStatus synchronize(Stream) override {
    waited = true;
    return step();
  }
  LaunchStatus run(const Rung& rung, const GemmProblem& problem, Stream) override {
    if (events) records_before_run = events->records();
    return step() == launch_ok ? rung.emulated->launch(problem, nullptr) : injected_failure;
  }

 private:
  LaunchStatus step() { return steps++ == fails_at ? injected_failure : launch_ok; }

  std::map<void*, std::unique_ptr<float[]>> memory_;
};

/// C := alpha * A^T * B + beta * C of small integers, with slack below every column.
struct Example {
  static constexpr std::int64_t m = 5, n = 7, k = 3, slack = 2;
  static constexpr float slack_mark = -77.0f;
  std::vector<float> a, b, c, expected;
  GemmProblem problem;

  explicit Example(float beta, float alpha = 2.0f)
      : a((k + slack) * m, nan), b((k + slack) * n, nan), c((m + slack) * n, slack_mark) {
    problem = {{Op::transpose,
                Op::none,
                m,
                n,
                k,
                {nullptr, alpha},
                a.data(),
                k + slack,
                b.data(),
                k + slack,
                {nullptr, beta},
                c.data(),
                m + slack},
               {},
               {}};
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t l = 0; l < k; ++l) a[l + i * (k + slack)] = static_cast<float>(i - l);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t l = 0; l < k; ++l) b[l + j * (k + slack)] = static_cast<float>(j + 2 * l - 3);
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) c[i + j * (m + slack)] = beta == 0.0f ? nan : static_cast<float>(i * j);
    expected = c;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < m; ++i) {
        float sum = 0;
        for (std::int64_t l = 0; l < k; ++l) sum += a[l + i * (k + slack)] * b[l + j * (k + slack)];
        float& element = expected[i + j * (m + slack)];
        element = alpha * sum + (beta == 0.0f ? 0.0f : beta * element);
      }
  }
};

bool same_bytes(const std::vector<float>& x, const std::vector<float>& y) {
  return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
}

int steps_of_one_call(float beta) {
  FakeDevice device;
  Example example(beta);
  int ordinal = -1;
  HostOffload(device).run(default_rung(), example.problem, ordinal, untimed);
  return device.steps;
}

}  // namespace

TEST_CASE("the result arrives, the slack stays, and C travels in only where beta needs it") {
  for (const float beta : {0.0f, 3.0f}) {
    FakeDevice device;
    HostOffload offload(device);
    Example example(beta);
    int ordinal = -1;
    REQUIRE(offload.run(default_rung(), example.problem, ordinal, untimed) == launch_ok);
    CHECK(ordinal == 0);
    CHECK(same_bytes(example.c, example.expected));
    CHECK(device.copies_in == (beta == 0.0f ? 2 : 3));
    CHECK(device.waited);
  }
}

TEST_CASE("A and B stay where they are when only C is scaled") {
  FakeDevice device;
  HostOffload offload(device);
  Example example(3.0f, 0.0f);
  example.problem.a = example.problem.b = nullptr;
  int ordinal = -1;
  REQUIRE(offload.run(default_rung(), example.problem, ordinal, untimed) == launch_ok);
  CHECK(same_bytes(example.c, example.expected));
  CHECK(device.copies_in == 1);
}

TEST_CASE("buffers are kept for the next call") {
  FakeDevice device;
  HostOffload offload(device);
  int ordinal = -1;
  Example first(3.0f);
  REQUIRE(offload.run(default_rung(), first.problem, ordinal, untimed) == launch_ok);
  const int with_allocations = device.steps;
  Example second(3.0f);
  REQUIRE(offload.run(default_rung(), second.problem, ordinal, untimed) == launch_ok);
  constexpr int stream_and_buffers = 4;
  CHECK(device.steps == 2 * with_allocations - stream_and_buffers);
  CHECK(same_bytes(second.c, second.expected));
}

TEST_CASE("what belongs to one context is not used in another one") {
  FakeDevice device;
  HostOffload offload(device);
  int ordinal = -1;
  const auto steps_in = [&](int context) {
    const int before = device.steps;
    device.context = context;
    Example example(3.0f);
    REQUIRE(offload.run(default_rung(), example.problem, ordinal, untimed) == launch_ok);
    CHECK(same_bytes(example.c, example.expected));
    return device.steps - before;
  };
  constexpr int stream_and_buffers = 4;
  const int first = steps_in(0);
  CHECK(steps_in(most_contexts - 1) == first);
  CHECK(steps_in(0) == first - stream_and_buffers);
}

TEST_CASE("a rung is asked about the problem as it will be on the device") {
  const GemmProblem there = on_device(Example(3.0f).problem);
  CHECK(there.m == Example::m);
  CHECK(there.op_a == Op::transpose);
  constexpr std::int64_t line = 32;  // floats
  CHECK(there.lda == line);
  CHECK(there.ldb == line);
  CHECK(there.ldc == line);
  CHECK(there.a == nullptr);
  CHECK(there.b == nullptr);
  CHECK(there.c == nullptr);
}

TEST_CASE("whatever step fails, C can still be put right, and nothing is under way") {
  for (const float beta : {0.0f, 3.0f}) {
    const int steps = steps_of_one_call(beta);
    for (int failing = 0; failing < steps; ++failing) {
      CAPTURE(beta);
      CAPTURE(failing);
      FakeDevice device;
      device.fails_at = failing;
      HostOffload offload(device);
      Example example(beta);
      const std::vector<float> before = example.c;
      int ordinal = -1;
      CHECK(offload.run(default_rung(), example.problem, ordinal, untimed) == injected_failure);
      if (device.copies_in > 0) CHECK(device.waited);
      if (beta != 0.0f) CHECK(same_bytes(example.c, before));

      // The CPU path computes it from what is there now ...
      REQUIRE(default_rung().emulated->launch(example.problem, nullptr) == launch_ok);
      CHECK(same_bytes(example.c, example.expected));
      // ... and the next call finds the device in order.
      Example again(beta);
      REQUIRE(offload.run(default_rung(), again.problem, ordinal, untimed) == launch_ok);
      CHECK(same_bytes(again.c, again.expected));
    }
  }
}

TEST_CASE("the product is timed on the GPU without the copies") {
  FakeGpuEvents events;
  GpuStopwatch stopwatch(events);
  FakeDevice device;
  device.events = &events;
  Example example(3.0f);
  GpuTally tally;
  int ordinal = -1;
  GpuLap lap(&stopwatch);
  REQUIRE(HostOffload(device).run(default_rung(), example.problem, ordinal, lap) == launch_ok);
  CHECK(device.records_before_run == 1);
  CHECK(device.records_at_copy_out == 2);
  lap.hand_in(tally, 1.0);
  events.pass();
  stopwatch.collect(std::chrono::milliseconds(0));
  CHECK(tally.laps == 1);
}
