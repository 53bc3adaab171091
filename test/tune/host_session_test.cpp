// SPDX-License-Identifier: MIT
// The rates of the host model found anew from times that a machine of known rates would take.
#include "host_session.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "shim/offload/host_calibration.hpp"
#include "tuning_files.hpp"

namespace ladder::tune {

namespace {

using shim::HostModel;
using shim::HostRates;

GemmProblem gemm_problem(const bench::BenchProblem& p) {
  GemmProblem problem;
  problem.m = p.m, problem.n = p.n, problem.k = p.k;
  problem.alpha.value = 1.0f;
  return problem;
}

/// Timers of a machine that does what the model says.
HostTimers timers_of(const HostRates& rates) {
  const HostModel model(rates);
  HostTimers timers;
  timers.cpu = [model](const bench::BenchProblem& p, std::string&) { return model.predict(gemm_problem(p)).cpu_s; };
  timers.gpu = [model](const bench::BenchProblem& p, std::string&) { return model.predict(gemm_problem(p)).gpu_s; };
  timers.bus_up = rates.bus_up;
  timers.bus_down = rates.bus_down;
  return timers;
}

bool is_near(double found, double known, double tolerance) { return std::abs(found - known) <= tolerance * known; }

/// What a session starts from must not matter.
const HostRates elsewhere = shim::builtin_host_rates(2, 1);

}  // namespace

TEST_CASE("the rates of a machine are found from its times") {
  HostRates slow_gpu = shim::builtin_host_rates(64, 8);
  slow_gpu.gpu_flops = 8e12, slow_gpu.staging_up = 22e9, slow_gpu.staging_down = 17e9, slow_gpu.gpu_call_s = 50e-6;
  HostRates one_core = shim::builtin_host_rates(1, 1);
  one_core.cpu_half_edge = 0;
  for (const HostRates& known : {shim::builtin_host_rates(16, 8), slow_gpu, one_core}) {
    const HostSession session = measure_host(timers_of(known), elsewhere);
    REQUIRE(session.complaint == "");
    const HostRates& found = session.rates;
    constexpr double close = 0.02;
    CHECK(is_near(found.cpu_flops, known.cpu_flops, close));
    CHECK(std::abs(found.cpu_half_edge - known.cpu_half_edge) < 1 + close * known.cpu_half_edge);
    CHECK(is_near(found.cpu_bytes, known.cpu_bytes, close));
    CHECK(is_near(found.cpu_write_bytes, known.cpu_write_bytes, close));
    CHECK(is_near(found.cpu_call_s, known.cpu_call_s, close));
    CHECK(is_near(found.gpu_flops, known.gpu_flops, close));
    CHECK(is_near(found.gpu_call_s, known.gpu_call_s, close));
    CHECK(is_near(found.staging_up, known.staging_up, close));
    CHECK(is_near(found.staging_down, known.staging_down, close));
    CHECK(found.bus_up == known.bus_up);
    CHECK(found.bus_down == known.bus_down);
    for (const HostTime& t : session.times) {
      CAPTURE(bench::to_text(t.problem));
      CHECK(is_near(t.expected_s, t.seconds, close));
    }
  }
}

TEST_CASE("a CPU that falls behind on small products is put at its best") {
  HostTimers timers = timers_of(shim::builtin_host_rates(16, 8));
  const HostTimer smooth = timers.cpu;
  timers.cpu = [smooth](const bench::BenchProblem& p, std::string& complaint) {
    const double lag = p.n == 256 ? 3.0 : 1.0;
    return std::optional(lag * *smooth(p, complaint));
  };
  const HostSession session = measure_host(timers, elsewhere);
  REQUIRE(session.complaint == "");
  CHECK(is_near(session.rates.cpu_half_edge, shim::builtin_host_rates(16, 8).cpu_half_edge, 0.05));
}

TEST_CASE("no cube was quicker than the CPU is put, however its times scatter") {
  for (const std::int64_t lucky : {256, 512, 1024, 2048, 4096}) {
    HostTimers timers = timers_of(shim::builtin_host_rates(16, 8));
    const HostTimer smooth = timers.cpu;
    timers.cpu = [smooth, lucky](const bench::BenchProblem& p, std::string& complaint) {
      const double part = p.n == lucky ? 0.7 : 1.0;
      return std::optional(part * *smooth(p, complaint));
    };
    const HostSession session = measure_host(timers, elsewhere);
    REQUIRE(session.complaint == "");
    for (const HostTime& t : session.times) {
      CAPTURE(lucky);
      CAPTURE(bench::to_text(t.problem));
      if (!t.on_gpu && t.problem.n == t.problem.k && t.problem.n >= 256) CHECK(t.expected_s < 1.01 * t.seconds);
    }
  }
}

TEST_CASE("without a GPU the CPU is measured all the same, and the rest stays as it was") {
  HostTimers timers = timers_of(shim::builtin_host_rates(16, 8));
  timers.gpu = {};
  const HostSession session = measure_host(timers, elsewhere);
  CHECK(session.complaint == "");
  CHECK(is_near(session.rates.cpu_flops, shim::builtin_host_rates(16, 8).cpu_flops, 0.02));
  CHECK(session.rates.gpu_flops == elsewhere.gpu_flops);
  CHECK(session.rates.bus_up == elsewhere.bus_up);
  for (const HostTime& t : session.times) CHECK_FALSE(t.on_gpu);
}

TEST_CASE("what cannot be timed is said, and what makes no sense is not kept") {
  for (const bool on_gpu : {false, true}) {
    HostTimers timers = timers_of(shim::builtin_host_rates(16, 8));
    (on_gpu ? timers.gpu : timers.cpu) = [](const bench::BenchProblem&, std::string& complaint) {
      complaint = "lost";
      return std::optional<double>();
    };
    CHECK(measure_host(timers, elsewhere).complaint == "lost");
  }
  HostTimers timers = timers_of(shim::builtin_host_rates(16, 8));
  timers.cpu = [](const bench::BenchProblem&, std::string&) { return std::optional(0.0); };
  CHECK(measure_host(timers, elsewhere).complaint != "");
}

TEST_CASE("a machine's rates are kept beside the choices, and read by the library on that machine alone") {
  const auto folder = std::filesystem::temp_directory_path() / ("ladder-host-" + std::to_string(getpid()));
  const auto path = folder / "tuning.json";
  const shim::HostKey here{"Some CPU", 16, "Some GPU", "580.1", "0123"};
  HostRates rates = shim::builtin_host_rates(16, 8);
  rates.gpu_flops = 12.5e12;
  REQUIRE(add_to_cache(path, shim::CacheKey{"Some GPU", 132, "580.1", "0123"}, {}) == "");
  REQUIRE(add_to_cache(path, here, shim::builtin_host_rates(2, 1)) == "");
  REQUIRE(add_to_cache(path, here, rates) == "");

  shim::Config config;
  config.tuning = {.named = true, .path = path.string()};
  CHECK(shim::host_rates_for(config, here).gpu_flops == 12.5e12);
  for (const shim::HostKey& other :
       {shim::HostKey{"Other CPU", 16, "Some GPU", "580.1", "0123"},
        shim::HostKey{"Some CPU", 8, "Some GPU", "580.1", "0123"}, shim::HostKey{"Some CPU", 16, "", "580.1", "0123"},
        shim::HostKey{"Some CPU", 16, "Some GPU", "580.2", "0123"},
        shim::HostKey{"Some CPU", 16, "Some GPU", "580.1", "4567"}})
    CHECK(shim::host_rates_for(config, other).gpu_flops == shim::builtin_host_rates(16, 8).gpu_flops);
  config.tuning.off = true;
  CHECK(shim::host_rates_for(config, here).gpu_flops == shim::builtin_host_rates(16, 8).gpu_flops);

  std::string complaint;
  const std::string shown = describe_cache(path, std::nullopt, complaint);
  CHECK(shown.find("Some GPU, 132 multiprocessors") != std::string::npos);
  CHECK(shown.find("Some CPU, 16 cores, Some GPU, driver 580.1, kernels 0123\n") != std::string::npos);
  CHECK(shown.find("GPU 12.5 TFLOP/s") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a table of before a rate was measured is passed over, until the machine is measured anew") {
  const auto folder = std::filesystem::temp_directory_path() / ("ladder-old-host-" + std::to_string(getpid()));
  const auto path = folder / "tuning.json";
  const shim::HostKey here{"Some CPU", 16, "Some GPU", "580.1", "0123"};
  HostRates rates = shim::builtin_host_rates(16, 8);
  rates.gpu_flops = 12.5e12;
  REQUIRE(add_to_cache(path, here, rates) == "");
  std::string why_not;
  std::string text = shim::read_whole_file(path.string(), why_not).value_or("");
  const std::string name = "cpu_write_bytes";
  REQUIRE(text.find(name) != std::string::npos);
  std::ofstream(path) << text.replace(text.find(name), name.size(), "of_another_name");

  shim::Config config;
  config.tuning = {.named = true, .path = path.string()};
  CHECK(shim::host_rates_for(config, here).gpu_flops == shim::builtin_host_rates(16, 8).gpu_flops);
  std::string complaint;
  CHECK(describe_cache(path, std::nullopt, complaint).find("12.5 TFLOP/s") == std::string::npos);
  REQUIRE(add_to_cache(path, here, rates) == "");
  CHECK(shim::host_rates_for(config, here).gpu_flops == 12.5e12);
  std::filesystem::remove_all(folder);
}

TEST_CASE("host tables that are none are passed over") {
  const auto folder = std::filesystem::temp_directory_path() / ("ladder-odd-host-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto path = folder / "tuning.json";
  const shim::HostKey here{"Some CPU", 16, "Some GPU", "580.1", "0123"};
  for (const char* host : {"7", "[7]", "[{}]", "{\"cpu\":\"Some CPU\"}",
                           "[{\"cpu\":\"Some CPU\",\"cores\":16,\"gpu\":\"Some GPU\",\"driver\":\"580.1\","
                           "\"build\":\"0123\",\"cpu_flops\":\"many\"}]"}) {
    CAPTURE(host);
    std::ofstream(path) << "{\"format\":1,\"tables\":[],\"host\":" << host << "}";
    shim::Config config;
    config.tuning = {.named = true, .path = path.string()};
    CHECK(shim::host_rates_for(config, here).gpu_flops == shim::builtin_host_rates(16, 8).gpu_flops);
    CHECK(add_to_cache(path, here, shim::builtin_host_rates(4, 2)) == "");
    CHECK(shim::host_rates_for(config, here).cpu_flops == shim::builtin_host_rates(4, 2).cpu_flops);
  }
  std::filesystem::remove_all(folder);
}

}  // namespace ladder::tune
