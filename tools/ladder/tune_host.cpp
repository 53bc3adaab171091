// SPDX-License-Identifier: MIT
#include "tune_host.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "bench/host/host_door_here.hpp"
#include "bench/host/host_door_lineup.hpp"
#include "bench/host/host_rest.hpp"
#include "bench/results_json.hpp"
#include "bench_command.hpp"
#include "commands.hpp"
#include "library_path.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "shim/config.hpp"
#include "shim/offload/cores.hpp"
#include "shim/offload/host_calibration.hpp"
#include "table.hpp"
#include "tune/host_session.hpp"
#include "tune/tuning_files.hpp"

namespace ladder::cli {

namespace {

constexpr bench::HostDoor door = bench::HostDoor::fortran;

/// Seconds of calls in a row: as many as tell enough, after one that does not count.
std::vector<double> times_of(bench::HostContender& contender) {
  constexpr std::size_t least = 3, most = 30;
  constexpr double enough_s = 0.3, seconds_per_ms = 1e-3;
  contender.call();
  std::vector<double> times;
  for (double sum = 0.0; times.size() < least || (times.size() < most && sum < enough_s); sum += times.back())
    times.push_back(seconds_per_ms * contender.call().ms);
  std::ranges::sort(times);
  return times;
}

/// Of the CPU the least time, at its best; of the GPU the middle one, and only what the GPU served, once threads of the
/// CPU BLAS no longer hold cores.
tune::HostTimer timer_of(bench::HostContender& contender, bool on_gpu, Progress& progress, std::size_t& done) {
  return [&contender, on_gpu, &progress, &done](const bench::BenchProblem& problem,
                                                std::string& complaint) -> std::optional<double> {
    constexpr std::size_t about = 13;  // measurements in all
    progress.show(fmt::format("tune --host, {}, {}", on_gpu ? "GPU" : "CPU", bench::to_text(problem)),
                  std::min(done++, about), about);
    try {
      const bench::HostTask task{.problem = problem};
      bench::HostMatrices matrices(task);
      complaint = contender.begin(task, matrices);
      if (!complaint.empty()) return std::nullopt;
      if (on_gpu) bench::Rests(bench::rest_means([] { return bench::runnable_threads(getpid()); })).rest();
      const std::vector<double> times = times_of(contender);
      if (!on_gpu) return times.front();
      if (contender.on_gpu()) return times[times.size() / 2];
      complaint = fmt::format("{} was not served by the GPU, but by {}", bench::to_text(problem), contender.name());
    } catch (const std::exception&) {
      complaint = fmt::format("there is no memory for {}", bench::to_text(problem));
    }
    return std::nullopt;
  };
}

/// Null, and why, where there is none.
std::unique_ptr<bench::HostContender> cpu_blas(const TuneOptions& options, std::string& complaint) {
  const auto library = bench::load_blas(bench::openblas_file(options.blas), complaint);
  const auto function = library ? bench::find_function(*library, door, complaint) : std::nullopt;
  if (!function) return nullptr;
  std::string not_ours;
  if (!bench::find_ladder_api(*library, not_ours)) return std::make_unique<bench::BlasHere>("cpu", *function);
  complaint = library->path + " is libladderblas itself";
  return nullptr;
}

/// The library with its default rung, told to send every call to one GPU: it reads its environment at its first call.
std::unique_ptr<bench::HostContender> library_on_gpu(std::string& complaint) {
  const std::string file = find_library();
  if (file.empty()) complaint = library_missing();
  constexpr int replace = 1;
  setenv("LADDER_DEVICE", "gpu", replace);
  setenv("LADDER_OFFLOAD", "always", replace);
  for (const char* choice : {"LADDER_RUNG", "LADDER_GPUS"}) unsetenv(choice);
  const auto library = file.empty() ? std::nullopt : bench::load_blas(file, complaint);
  const auto api = library ? bench::find_ladder_api(*library, complaint) : std::nullopt;
  const auto function = api ? bench::find_function(*library, door, complaint) : std::nullopt;
  if (!function) return nullptr;
  return std::make_unique<bench::LadderHere>(*function, *api, "", true);
}

/// Empty, or why the GPU cannot be measured.
std::string add_gpu(tune::HostTimers& timers, std::unique_ptr<bench::HostContender>& gpu, Progress& progress,
                    std::size_t& done) {
  if (!gpu_name()) return "no GPU works here: these are the CPU's rates alone, and nothing is kept";
  std::string complaint = why_no_gpu_timing();
  if (!complaint.empty()) return complaint;
  constexpr double bytes_per_gb = 1e9;
  const bench::Ceilings ceilings = gpu_ceilings(bench::CeilingSet::all, complaint);
  timers.bus_up = bytes_per_gb * ceilings.to_device_pinned_gbs.value_or(0.0);
  timers.bus_down = bytes_per_gb * ceilings.to_host_pinned_gbs.value_or(0.0);
  if (timers.bus_up <= 0.0 || timers.bus_down <= 0.0)
    return complaint.empty() ? "the bus could not be measured" : complaint;
  gpu = library_on_gpu(complaint);
  if (gpu == nullptr) return complaint;
  timers.gpu = timer_of(*gpu, true, progress, done);
  return {};
}

void print_table(const tune::HostSession& session, bool with_gpu) {
  constexpr double ms = 1e3;
  Table table({"problem", "on", "ms", "model's ms"});
  for (const tune::HostTime& t : session.times) {
    table.add_row({bench::to_text(t.problem), t.on_gpu ? "gpu" : "cpu", fmt::format("{:.4g}", ms * t.seconds),
                   fmt::format("{:.4g}", ms * t.expected_s)});
  }
  fmt::print("{}", table.text());
  if (with_gpu) fmt::print("{}\n", tune::host_rates_text(session.rates));
}

void print_json(const tune::HostSession& session, const shim::HostKey& key, bool with_gpu) {
  nlohmann::ordered_json all;
  if (with_gpu) shim::keep_host_rates(all, key, session.rates);
  all["times"] = nlohmann::ordered_json::array();
  for (const tune::HostTime& t : session.times) {
    all["times"].push_back({{"m", t.problem.m},
                            {"n", t.problem.n},
                            {"k", t.problem.k},
                            {"on", t.on_gpu ? "gpu" : "cpu"},
                            {"seconds", t.seconds},
                            {"models_seconds", t.expected_s}});
  }
  fmt::print("{}\n", bench::json_text(all));
}

int fail(int code, std::string_view complaint) {
  fmt::print(stderr, "ladder: {}\n", complaint);
  return code;
}

}  // namespace

int tune_host(const TuneOptions& options, const std::string& path) {
  std::string complaint;
  const auto cpu = cpu_blas(options, complaint);
  if (cpu == nullptr) return fail(exit_usage, "--host needs a CPU BLAS (--blas): " + complaint);
  Progress progress;
  std::size_t done = 0;
  tune::HostTimers timers;
  timers.cpu = timer_of(*cpu, false, progress, done);
  std::unique_ptr<bench::HostContender> gpu;
  const std::string no_gpu = add_gpu(timers, gpu, progress, done);

  const shim::HostKey key = shim::host_key();
  const auto session = tune::measure_host(timers, shim::builtin_host_rates(key.cores, shim::copy_threads({})));
  progress.clear();
  if (!session.complaint.empty()) return fail(exit_failed, session.complaint);
  options.json ? print_json(session, key, no_gpu.empty()) : print_table(session, no_gpu.empty());
  if (!no_gpu.empty()) return fail(exit_usage, no_gpu);
  if (const std::string failed = tune::add_to_cache(path, key, session.rates); !failed.empty())
    return fail(exit_failed, failed);
  fmt::print(stderr, "ladder: kept in {}\n", path);
  return exit_ok;
}

}  // namespace ladder::cli
