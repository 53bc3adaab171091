// SPDX-License-Identifier: MIT
// The choice between CPU and GPU for shapes of tools/bench/host_shapes.csv, held to what both took on an H200 beside 16
// cores with OpenBLAS 0.3.26: by the rates that come with the library, and by those that `ladder tune --host` finds
// there.
#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>

#include "host_session.hpp"
#include "shim/offload/host_calibration.hpp"

namespace ladder::tune {

namespace {

using shim::HostModel;
using shim::HostRates;

/// The least of the medians that the CPU BLAS had in several runs, and the GPU's after 20 ms of idleness where that was
/// measured, else in turn with the CPU BLAS, whose threads wait beside it.
struct Measured {
  std::int64_t m, n, k;
  double cpu_us, gpu_us;
};

constexpr Measured measured[] = {
    // In turn; 256, 8192 and 16384 cubed and 8192 x 8192 x 64 in a row.
    {256, 256, 256, 67.2, 105},
    {320, 320, 320, 149.8, 160},
    {640, 640, 640, 631, 326},
    {768, 768, 768, 1118, 516},
    {1001, 1001, 1001, 2857, 554},
    {1536, 1536, 1536, 6957, 1507},
    {2047, 2047, 2047, 14640, 1790},
    {3001, 3001, 3001, 44660, 3200},
    {3072, 3072, 3072, 49910, 5173},
    {8192, 8192, 8192, 866300, 25700},
    {16384, 16384, 16384, 7322000, 183000},
    {4096, 4096, 64, 2733, 2136},
    {4096, 4096, 128, 4907, 1884},
    {8192, 8192, 64, 12920, 5560},
    {8192, 8192, 128, 19930, 6912},
    {8192, 8192, 256, 28340, 5934},
    {20000, 500, 128, 2786, 1901},
    {256, 10000, 10000, 62650, 15820},
    {784, 784, 60000, 90050, 14300},
    // After idleness.
    {512, 512, 512, 366, 360},
    {1024, 1024, 1024, 1792, 620},
    {2048, 2048, 2048, 15420, 1640},
    {4096, 4096, 4096, 107400, 5400},
    {1797, 1797, 64, 654, 600},
    {2048, 2048, 64, 744, 670},
    // Here the copies alone take longer, at 55 GB/s.
    {60000, 10, 784, 3013, 3421},
    {8192, 1, 8192, 3596, 4880},
    {1, 8192, 8192, 2785, 4880},
    {4096, 4, 4096, 700, 1220},
};

/// What `ladder tune --host` asks for took there, in ms.
struct Timed {
  std::int64_t m, n, k;
  bool on_gpu;
  double ms;
};
constexpr Timed timed[] = {
    {16, 16, 16, false, 0.000139},     {256, 256, 256, false, 0.08832},  {512, 512, 512, false, 0.3555},
    {1024, 1024, 1024, false, 2.163},  {2048, 2048, 2048, false, 14.71}, {4096, 4096, 4096, false, 112.7},
    {8192, 1, 8192, false, 4.345},     {8192, 8192, 1, false, 6.731},    {1, 8192, 8192, false, 2.785},
    {384, 384, 384, true, 0.165},      {1024, 1024, 32768, true, 9.178}, {8192, 8192, 64, true, 5.592},
    {12288, 12288, 12288, true, 82.03}};

HostTimer timer_of(bool on_gpu) {
  return [on_gpu](const bench::BenchProblem& p, std::string& complaint) -> std::optional<double> {
    constexpr double seconds_per_ms = 1e-3;
    for (const Timed& t : timed) {
      if (t.on_gpu == on_gpu && t.m == p.m && t.n == p.n && t.k == p.k) return seconds_per_ms * t.ms;
    }
    complaint = "not among the times: " + bench::to_text(p);
    return std::nullopt;
  };
}

HostSession session_there() {
  return measure_host({.cpu = timer_of(false), .gpu = timer_of(true), .bus_up = 55.3e9, .bus_down = 55.3e9},
                      shim::builtin_host_rates(2, 1));
}

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k;
  p.alpha.value = 1.0f;
  return p;
}

}  // namespace

TEST_CASE("no call goes where it was measured to take longer") {
  const HostSession tuned = session_there();
  REQUIRE(tuned.complaint == "");
  constexpr double loss = 1.05, clear_win = 1.5;
  for (const HostRates& rates : {shim::builtin_host_rates(16, 8), tuned.rates}) {
    CAPTURE(host_rates_text(rates));
    const HostModel model(rates);
    for (const Measured& t : measured) {
      const shim::Prediction expected = model.predict(problem(t.m, t.n, t.k));
      CAPTURE(t.m);
      CAPTURE(t.n);
      CAPTURE(t.k);
      CAPTURE(expected.cpu_s);
      CAPTURE(expected.gpu_s);
      if (t.gpu_us > loss * t.cpu_us) CHECK_FALSE(expected.prefers_gpu());
      if (clear_win * t.gpu_us < t.cpu_us) CHECK(expected.prefers_gpu());
    }
  }
}

TEST_CASE("cubes go to the GPU from 512 on, and flat products from 4096 x 4096 x 64 on") {
  const HostSession tuned = session_there();
  REQUIRE(tuned.complaint == "");
  for (const HostRates& rates : {shim::builtin_host_rates(16, 8), tuned.rates}) {
    CAPTURE(host_rates_text(rates));
    const HostModel model(rates);
    for (const std::int64_t n : {511, 512, 640, 1024, 8192}) CHECK(model.predict(problem(n, n, n)).prefers_gpu());
    for (const std::int64_t n : {4096, 8192}) CHECK(model.predict(problem(n, n, 64)).prefers_gpu());
    CHECK_FALSE(model.predict(problem(1797, 1797, 64)).prefers_gpu());
    CHECK_FALSE(model.predict(problem(8192, 8192, 1)).prefers_gpu());
  }
}

TEST_CASE("the CPU is expected to take little more than it took, whatever the shape") {
  const HostSession tuned = session_there();
  REQUIRE(tuned.complaint == "");
  constexpr double noise = 1.2;
  for (const HostRates& rates : {shim::builtin_host_rates(16, 8), tuned.rates}) {
    CAPTURE(host_rates_text(rates));
    const HostModel model(rates);
    for (const Measured& t : measured) {
      CAPTURE(t.m);
      CAPTURE(t.n);
      CAPTURE(t.k);
      CHECK(1e6 * model.predict(problem(t.m, t.n, t.k)).cpu_s < noise * t.cpu_us);
    }
  }
}

}  // namespace ladder::tune
