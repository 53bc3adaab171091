// SPDX-License-Identifier: MIT
#include "host_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ladder::tune {

namespace {

using shim::HostModel;
using shim::HostRates;

bench::BenchProblem product(std::int64_t m, std::int64_t n, std::int64_t k) {
  return bench::with_leading_dimensions({.category = "host", .m = m, .n = n, .k = k});
}

bench::BenchProblem cube(std::int64_t n) { return product(n, n, n); }

GemmProblem gemm_problem(const bench::BenchProblem& p) {
  GemmProblem problem;
  problem.m = p.m, problem.n = p.n, problem.k = p.k;
  problem.alpha.value = 1.0f;
  return problem;
}

double expected_s(const HostRates& rates, const HostTime& time) {
  const shim::Prediction expected = HostModel(rates).predict(gemm_problem(time.problem));
  return time.on_gpu ? expected.gpu_s : expected.cpu_s;
}

/// The rate, or the edge, for which the model expects that time; the nearest bound where it does for none.
double fitted(HostRates rates, double HostRates::*field, const HostTime& time) {
  const bool is_rate = field != &HostRates::cpu_half_edge;  // more of it takes less time
  double least = is_rate ? 1e6 : 1e-3, most = is_rate ? 1e16 : 1e6;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    rates.*field = std::sqrt(least * most);
    ((expected_s(rates, time) > time.seconds) == is_rate ? least : most) = rates.*field;
  }
  return rates.*field;
}

/// Each rate has a part in what hangs on the others too: so many times in turn.
constexpr int rounds = 12;

class Session {
 public:
  explicit Session(const HostRates& rates) { session_.rates = rates; }

  bool measure_cpu(const HostTimer& timer);
  bool measure_gpu(const HostTimers& timers);
  HostSession result();

 private:
  std::optional<HostTime> time(const HostTimer& timer, const bench::BenchProblem& problem, bool on_gpu);
  void fit_call(const HostTime& small);
  void fit_product(const std::vector<HostTime>& cubes);

  HostSession session_;
};

std::optional<HostTime> Session::time(const HostTimer& timer, const bench::BenchProblem& problem, bool on_gpu) {
  const auto seconds = timer(problem, session_.complaint);
  if (!seconds) return std::nullopt;
  session_.times.push_back({problem, on_gpu, *seconds});
  return session_.times.back();
}

// A call has what nothing else explains.
void Session::fit_call(const HostTime& small) {
  double& call_s = small.on_gpu ? session_.rates.gpu_call_s : session_.rates.cpu_call_s;
  call_s = 0.0;
  call_s = std::max(0.0, small.seconds - expected_s(session_.rates, small));
}

// The largest cubes tell the peak, those of up to a quarter of their edge the half edge, which would hang on the noise
// of the others' times. The largest peak and the smallest half edge put the CPU at its best.
void Session::fit_product(const std::vector<HostTime>& cubes) {
  HostRates& rates = session_.rates;
  constexpr std::int64_t well_below = 4;
  const std::int64_t largest = cubes.back().problem.n;
  double half_edge = std::numeric_limits<double>::max(), peak = 0.0;
  for (const HostTime& cube : cubes) {
    const bool is_small = cube.problem.n * well_below <= largest || &cube == &cubes.front();
    if (is_small) half_edge = std::min(half_edge, fitted(rates, &HostRates::cpu_half_edge, cube));
    if (!is_small || cubes.size() == 1) peak = std::max(peak, fitted(rates, &HostRates::cpu_flops, cube));
  }
  rates.cpu_half_edge = cubes.size() > 1 ? half_edge : 0.0;
  rates.cpu_flops = peak;
}

bool Session::measure_cpu(const HostTimer& timer) {
  constexpr double long_enough_s = 0.5;
  HostRates& rates = session_.rates;
  const auto of_small = time(timer, cube(16), false);
  if (!of_small) return false;
  std::vector<HostTime> cubes;
  for (const std::int64_t n : {256, 512, 1024, 2048, 4096}) {
    const auto of_cube = time(timer, cube(n), false);
    if (!of_cube) return false;
    cubes.push_back(*of_cube);
    if (of_cube->seconds > long_enough_s) break;
  }
  const auto of_columns = time(timer, product(8192, 1, 8192), false);
  const auto of_rows = of_columns ? time(timer, product(1, 8192, 8192), false) : std::nullopt;
  const auto of_writing = of_rows ? time(timer, product(8192, 8192, 1), false) : std::nullopt;
  if (!of_writing) return false;
  for (int i = 0; i < rounds; ++i) {
    fit_call(*of_small);
    fit_product(cubes);
    rates.cpu_bytes =
        std::max(fitted(rates, &HostRates::cpu_bytes, *of_columns), fitted(rates, &HostRates::cpu_bytes, *of_rows));
    rates.cpu_write_bytes = fitted(rates, &HostRates::cpu_write_bytes, *of_writing);
  }
  // Of times that scatter, a small cube's may lie above the peak itself.
  for (const HostTime& cube : cubes)
    rates.cpu_flops = std::max(rates.cpu_flops, fitted(rates, &HostRates::cpu_flops, cube));
  return true;
}

bool Session::measure_gpu(const HostTimers& timers) {
  HostRates& rates = session_.rates;
  rates.bus_up = timers.bus_up;
  rates.bus_down = timers.bus_down;
  // The first is of a size at which the choice turns. Of the others, each hangs on one rate: all of the first must go
  // up, of the second down, and the third is long.
  const auto of_small = time(timers.gpu, cube(384), true);
  const auto of_deep = of_small ? time(timers.gpu, product(1024, 1024, 32768), true) : std::nullopt;
  const auto of_flat = of_deep ? time(timers.gpu, product(8192, 8192, 64), true) : std::nullopt;
  const auto of_large = of_flat ? time(timers.gpu, cube(12288), true) : std::nullopt;
  if (!of_large) return false;
  for (int i = 0; i < rounds; ++i) {
    fit_call(*of_small);
    rates.staging_up = fitted(rates, &HostRates::staging_up, *of_deep);
    rates.staging_down = fitted(rates, &HostRates::staging_down, *of_flat);
    rates.gpu_flops = fitted(rates, &HostRates::gpu_flops, *of_large);
  }
  return true;
}

HostSession Session::result() {
  const bool are_times = std::ranges::all_of(session_.times, [](const HostTime& t) { return t.seconds > 0.0; });
  const bool make_sense = are_times && shim::are_usable(session_.rates);
  if (session_.complaint.empty() && !make_sense) session_.complaint = "the times make no sense";
  if (!make_sense) return session_;
  for (HostTime& t : session_.times) t.expected_s = expected_s(session_.rates, t);
  return session_;
}

}  // namespace

HostSession measure_host(const HostTimers& timers, const HostRates& rates) {
  Session session(rates);
  if (session.measure_cpu(timers.cpu) && timers.gpu) session.measure_gpu(timers);
  return session.result();
}

std::string host_rates_text(const HostRates& r) {
  constexpr double giga = 1e-9, tera = 1e-12, micro = 1e6;
  return fmt::format(
      "CPU {:.0f} GFLOP/s (half of it at {:.0f} cubed), reads {:.0f} and writes {:.0f} GB/s, {:.1f} us a call; "
      "GPU {:.1f} TFLOP/s, {:.0f} us a call, bus {:.0f} up and {:.0f} down, copies {:.0f} up and {:.0f} down GB/s",
      giga * r.cpu_flops, r.cpu_half_edge, giga * r.cpu_bytes, giga * r.cpu_write_bytes, micro * r.cpu_call_s,
      tera * r.gpu_flops, micro * r.gpu_call_s, giga * r.bus_up, giga * r.bus_down, giga * r.staging_up,
      giga * r.staging_down);
}

}  // namespace ladder::tune
