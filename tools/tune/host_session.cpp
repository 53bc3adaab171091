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

double gpu_s(const HostRates& rates, const bench::BenchProblem& problem) {
  return HostModel(rates).predict(gemm_problem(problem)).gpu_s;
}

class Session {
 public:
  explicit Session(const HostRates& rates) { session_.rates = rates; }

  bool measure_cpu(const HostTimer& timer);
  bool measure_gpu(const HostTimers& timers);
  HostSession result();

 private:
  std::optional<double> time(const HostTimer& timer, const bench::BenchProblem& problem, bool on_gpu);
  void fit_ramp(const std::vector<HostTime>& cubes);

  HostSession session_;
};

std::optional<double> Session::time(const HostTimer& timer, const bench::BenchProblem& problem, bool on_gpu) {
  const auto seconds = timer(problem, session_.complaint);
  if (seconds) session_.times.push_back({problem, on_gpu, *seconds});
  return seconds;
}

// A cube of edge n takes call + 2 n^3 / peak * (1 + half_edge / n). The largest and any other give both unknowns; the
// smallest half_edge of them all puts the CPU at its best.
void Session::fit_ramp(const std::vector<HostTime>& cubes) {
  HostRates& rates = session_.rates;
  const auto per_flop = [&rates](const HostTime& t) {
    return std::max(t.seconds - rates.cpu_call_s, 0.0) / bench::flops(t.problem);
  };
  const HostTime& largest = cubes.back();
  const double least = per_flop(largest), edge_of_largest = static_cast<double>(largest.problem.n);
  double half_edge = cubes.size() > 1 ? std::numeric_limits<double>::max() : 0.0;
  for (std::size_t i = 0; i + 1 < cubes.size(); ++i) {
    const double ratio = per_flop(cubes[i]) / least;
    const double rest = 1.0 / static_cast<double>(cubes[i].problem.n) - ratio / edge_of_largest;
    if (rest > 0.0) half_edge = std::min(half_edge, std::max(0.0, (ratio - 1.0) / rest));
  }
  if (half_edge == std::numeric_limits<double>::max()) half_edge = 0.0;
  rates.cpu_half_edge = half_edge;
  rates.cpu_flops = (1.0 + half_edge / edge_of_largest) / least;
}

bool Session::measure_cpu(const HostTimer& timer) {
  constexpr double long_enough_s = 0.5;
  HostRates& rates = session_.rates;
  const auto call = time(timer, cube(16), false);
  if (!call) return false;
  rates.cpu_call_s = *call;
  std::vector<HostTime> cubes;
  for (const std::int64_t n : {256, 512, 1024, 2048, 4096}) {
    if (!time(timer, cube(n), false)) return false;
    cubes.push_back(session_.times.back());
    if (cubes.back().seconds > long_enough_s) break;
  }
  fit_ramp(cubes);
  rates.cpu_bytes = 0.0;
  for (const bench::BenchProblem& thin : {product(8192, 1, 8192), product(8192, 8192, 1)}) {
    const auto seconds = time(timer, thin, false);
    if (!seconds) return false;
    rates.cpu_bytes = std::max(rates.cpu_bytes, bench::compulsory_bytes(thin) / *seconds);
  }
  return true;
}

/// The rate at which the model gives `problem` those seconds; its bounds where none does.
double rate_for(HostRates rates, double HostRates::*rate, const bench::BenchProblem& problem, double seconds) {
  double least = 1e6, most = 1e16;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    rates.*rate = std::sqrt(least * most);
    (gpu_s(rates, problem) > seconds ? least : most) = rates.*rate;
  }
  return rates.*rate;
}

bool Session::measure_gpu(const HostTimers& timers) {
  HostRates& rates = session_.rates;
  rates.bus_up = timers.bus_up;
  rates.bus_down = timers.bus_down;
  // Of the last three, each hangs on one rate: all of the first must go up, of the second down, and the third is long.
  const bench::BenchProblem small = cube(128);
  const bench::BenchProblem deep = product(1024, 1024, 32768), flat = product(8192, 8192, 64), large = cube(12288);
  const auto of_small = time(timers.gpu, small, true);
  const auto of_deep = of_small ? time(timers.gpu, deep, true) : std::nullopt;
  const auto of_flat = of_deep ? time(timers.gpu, flat, true) : std::nullopt;
  const auto of_large = of_flat ? time(timers.gpu, large, true) : std::nullopt;
  if (!of_large) return false;
  constexpr int rounds = 8;  // each rate has a small part in the others' products too
  for (int i = 0; i < rounds; ++i) {
    rates.gpu_call_s = 0.0;
    rates.gpu_call_s = std::max(0.0, *of_small - gpu_s(rates, small));
    rates.staging_up = rate_for(rates, &HostRates::staging_up, deep, *of_deep);
    rates.staging_down = rate_for(rates, &HostRates::staging_down, flat, *of_flat);
    rates.gpu_flops = rate_for(rates, &HostRates::gpu_flops, large, *of_large);
  }
  return true;
}

HostSession Session::result() {
  if (session_.complaint.empty() && !shim::are_usable(session_.rates)) session_.complaint = "the times make no sense";
  if (!shim::are_usable(session_.rates)) return session_;
  const HostModel model(session_.rates);
  for (HostTime& t : session_.times) {
    const shim::Prediction expected = model.predict(gemm_problem(t.problem));
    t.expected_s = t.on_gpu ? expected.gpu_s : expected.cpu_s;
  }
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
      "CPU {:.0f} GFLOP/s (half of it at {:.0f} cubed), {:.0f} GB/s, {:.1f} us a call; GPU {:.1f} TFLOP/s, {:.0f} us a "
      "call, bus {:.0f} up and {:.0f} down, copies {:.0f} up and {:.0f} down GB/s",
      giga * r.cpu_flops, r.cpu_half_edge, giga * r.cpu_bytes, micro * r.cpu_call_s, tera * r.gpu_flops,
      micro * r.gpu_call_s, giga * r.bus_up, giga * r.bus_down, giga * r.staging_up, giga * r.staging_down);
}

}  // namespace ladder::tune
