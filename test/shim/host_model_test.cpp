// SPDX-License-Identifier: MIT
// The choice between CPU and GPU for calls from host memory: what it expects, and where it gets that from.
#include "offload/host_model.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "dispatch.hpp"
#include "offload/host_calibration.hpp"

using namespace ladder;
using namespace ladder::shim;

namespace {

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k, float beta = 0.0f) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k;
  p.alpha.value = 1.0f;
  p.beta.value = beta;
  return p;
}

GemmProblem cube(std::int64_t n) { return problem(n, n, n); }

/// An H200 beside 16 cores.
HostRates reference() { return builtin_host_rates(16, 8); }
const HostModel on_reference(reference());

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("small means few operations, also where a product of extents would not fit an integer") {
  CHECK(is_small(cube(99)));
  CHECK_FALSE(is_small(cube(100)));
  CHECK_FALSE(is_small(cube(std::int64_t{1} << 40)));
  CHECK(is_small(problem(std::int64_t{1} << 40, std::int64_t{1} << 40, 0)));
  GemmProblem scaled = cube(4096);
  scaled.alpha.value = 0.0f;
  CHECK(is_small(scaled));
}

TEST_CASE("small calls are left to the CPU unasked, others as the model says") {
  Prediction predicted;
  CHECK(std::string(left_to_cpu(cube(64), predicted)) == "small");
  CHECK_FALSE(predicted.is_known());
  CHECK(left_to_cpu(cube(16384), predicted) == nullptr);
  CHECK(predicted.prefers_gpu());
  CHECK(std::string(left_to_cpu(problem(4096, 1, 4096), predicted)) == "model");
  CHECK(predicted.is_known());
  CHECK_FALSE(predicted.prefers_gpu());
}

TEST_CASE("what the model expects of the CPU lies at or below what OpenBLAS took on the reference") {
  // tools/bench/results/nvidia-h200/host.csv as committed in a4f88a3, 15 samples each
  struct Measured {
    std::int64_t n;
    double ms;
  };
  for (const auto& [n, ms] : {Measured{256, 0.0940}, {512, 0.4197}, {1024, 2.219}, {4096, 110.09}, {8192, 868.95}}) {
    const double expected = 1e3 * on_reference.predict(cube(n)).cpu_s;
    CAPTURE(n);
    CHECK(expected < 1.1 * ms);
    CHECK(expected > 0.75 * ms);
  }
}

TEST_CASE("the GPU takes what is worth the way, and not what is small or all bytes") {
  const auto prefers_gpu = [](const GemmProblem& p) { return on_reference.predict(p).prefers_gpu(); };
  for (const std::int64_t n : {512, 1024, 2048, 4096, 8192, 16384, 40000}) CHECK(prefers_gpu(cube(n)));
  for (const std::int64_t n : {100, 128, 256}) CHECK_FALSE(prefers_gpu(cube(n)));
  CHECK_FALSE(prefers_gpu(problem(16384, 1, 16384)));
  CHECK_FALSE(prefers_gpu(problem(1, 16384, 16384)));
  CHECK_FALSE(prefers_gpu(problem(16384, 16384, 1)));
  CHECK(prefers_gpu(problem(16384, 512, 16384)));
}

TEST_CASE("the same problem has the same prediction, and a larger one takes longer on either side") {
  for (std::int64_t n = 100; n < 20000; n = n * 5 / 4) {
    const Prediction once = on_reference.predict(cube(n)), again = on_reference.predict(cube(n));
    const Prediction larger = on_reference.predict(cube(n + 1)), with_c = on_reference.predict(problem(n, n, n, 1.0f));
    CAPTURE(n);
    CHECK(once.cpu_s == again.cpu_s);
    CHECK(once.gpu_s == again.gpu_s);
    CHECK(larger.cpu_s > once.cpu_s);
    CHECK(larger.gpu_s > once.gpu_s);
    CHECK(with_c.gpu_s > once.gpu_s);
    CHECK(with_c.cpu_s >= once.cpu_s);
  }
}

TEST_CASE("each part of the machine can be the one that the GPU's time hangs on") {
  const GemmProblem tall_k = problem(512, 512, 1 << 20), flat = problem(16384, 16384, 64), large = cube(16384);
  const auto slower = [](double HostRates::*rate, const GemmProblem& p) {
    HostRates rates = reference();
    rates.*rate /= 100;
    return HostModel(rates).predict(p).gpu_s / on_reference.predict(p).gpu_s;
  };
  CHECK(slower(&HostRates::bus_up, tall_k) > 10);
  CHECK(slower(&HostRates::staging_up, tall_k) > 10);
  CHECK(slower(&HostRates::bus_down, flat) > 10);
  CHECK(slower(&HostRates::staging_down, flat) > 10);
  CHECK(slower(&HostRates::gpu_flops, large) > 10);
  CHECK(slower(&HostRates::bus_down, tall_k) < 1.2);
  CHECK(slower(&HostRates::bus_up, flat) < 1.2);
}

TEST_CASE("each part of the machine can be the one that the CPU's time hangs on") {
  const auto slower = [](double HostRates::*rate, const GemmProblem& p) {
    HostRates rates = reference();
    rates.*rate /= 100;
    return HostModel(rates).predict(p).cpu_s / on_reference.predict(p).cpu_s;
  };
  const GemmProblem read = problem(16384, 1, 16384), written = problem(16384, 16384, 1), large = cube(8192);
  CHECK(slower(&HostRates::cpu_bytes, read) > 50);
  CHECK(slower(&HostRates::cpu_write_bytes, written) > 50);
  CHECK(slower(&HostRates::cpu_flops, large) > 50);
  CHECK(slower(&HostRates::cpu_bytes, written) < 1.2);
  CHECK(slower(&HostRates::cpu_write_bytes, read) < 1.2);
  CHECK(slower(&HostRates::cpu_call_s, large) == doctest::Approx(1));
}

TEST_CASE("the CPU reaches half of its peak at the half edge, and a short or a long k takes nothing from that") {
  HostRates rates = reference();
  rates.cpu_call_s = 0, rates.cpu_half_edge = 400, rates.cpu_bytes = rates.cpu_write_bytes = 1e15;
  const HostModel model(rates);
  const auto part_of_peak = [&](const GemmProblem& p) {
    const double flops = 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    return flops / rates.cpu_flops / model.predict(p).cpu_s;
  };
  const double half = part_of_peak(cube(400));
  CHECK(half == doctest::Approx(0.5).epsilon(0.01));
  CHECK(part_of_peak(problem(400, 400, 40)) == doctest::Approx(half).epsilon(0.01));
  CHECK(part_of_peak(problem(100, 100, 6400)) == doctest::Approx(half).epsilon(0.01));
  CHECK(part_of_peak(cube(4096)) > 0.95);
}

TEST_CASE("copies and a long product hide in one another, short ones follow one another") {
  HostRates rates = reference();
  rates.gpu_call_s = 0;
  const HostModel model(rates);
  const double n = 16384, product = 2 * n * n * n / rates.gpu_flops;
  CHECK(model.predict(cube(16384)).gpu_s >= product);
  CHECK(model.predict(cube(16384)).gpu_s < 1.1 * product);
  const double small = 256, bytes = small * small * sizeof(float);
  const double in_turn =
      2 * bytes / rates.staging_up + bytes / rates.staging_down + 2 * small * small * small / rates.gpu_flops;
  CHECK(model.predict(cube(256)).gpu_s == doctest::Approx(in_turn).epsilon(1e-9));
}

TEST_CASE("a narrow win is none") {
  CHECK_FALSE((Prediction{.cpu_s = 1.45, .gpu_s = 1.0}.prefers_gpu()));
  CHECK((Prediction{.cpu_s = 1.55, .gpu_s = 1.0}.prefers_gpu()));
  CHECK_FALSE((Prediction{.cpu_s = 1.0, .gpu_s = not_a_number}.prefers_gpu()));
  CHECK_FALSE(Prediction{}.prefers_gpu());
}

TEST_CASE("rates of any number of cores are usable; numbers that are none are not") {
  for (const int cores : {1, 2, 16, 1000}) {
    for (const int threads : {1, 8, 256}) CHECK(are_usable(builtin_host_rates(cores, threads)));
    CHECK_FALSE(HostModel(builtin_host_rates(cores, 1)).predict(problem(8192, 1, 8192)).prefers_gpu());
  }
  CHECK_FALSE(are_usable(HostRates{}));
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    HostRates rates = reference();
    rates.bus_up = bad;
    CHECK_FALSE(are_usable(rates));
  }
  HostRates rates = reference();
  rates.gpu_call_s = -1e-6;
  CHECK_FALSE(are_usable(rates));
  rates.gpu_call_s = 0;
  CHECK(are_usable(rates));
}
