// SPDX-License-Identifier: MIT
// `ladder bench --door cblas|sgemm_`: calls with host pointers.
#include <fmt/format.h>

#include "bench/ceilings/ceilings_report.hpp"
#include "bench/conditions.hpp"
#include "bench/host/host_door.hpp"
#include "bench_command.hpp"
#include "library_path.hpp"
#include "machine.hpp"

namespace ladder::cli {

namespace {

// What a door lets a caller choose: rungs, not their configurations.
bool add_rungs(const BenchPlan& plan, std::vector<std::string>& rungs, std::string& complaint) {
  for (const bench::RungChoice& choice : plan.rungs) {
    if (choice.config != nullptr) {
      complaint = fmt::format("{}: no caller can force a configuration through a door", choice.name());
      return false;
    }
    rungs.push_back(choice.label());
  }
  return true;
}

}  // namespace

std::optional<bench::Results> host_results(const BenchOptions& options, const BenchPlan& plan, Progress& progress,
                                           std::string& complaint) {
  bench::HostDoorOptions host;
  host.door = options.door;
  host.problems = plan.problems;
  if (!add_rungs(plan, host.rungs, complaint)) return std::nullopt;
  host.against = plan.peers;
  if (options.against == "none") complaint = "a host door is timed against a peer: openblas, nvblas";
  host.data = *bench::data_named(options.data);
  if (!bench::is_drawn_by_host(host.data))
    complaint = fmt::format("--data {}: a host door does not draw it", options.data);
  if (options.samples > 0) host.samples = options.samples;
  host.blas = options.blas;
  host.nvblas = options.nvblas;
  host.nvblas_gpus = options.nvblas_gpus;
  host.peer_timeout_s = options.peer_timeout_s;
  host.library = find_library();
  if (host.library.empty()) complaint = library_missing();
  if (!complaint.empty()) return std::nullopt;
  host.progress = [&](const std::string& what, std::size_t done, std::size_t all) { progress.show(what, done, all); };
  host.remark = [&](const std::string& line) {
    progress.clear();
    fmt::print(stderr, "ladder: {}\n", line);
  };
  host.has_gpu = gpu_name().has_value();
  if (complaint = host.has_gpu ? why_no_gpu_timing() : std::string(); !complaint.empty()) return std::nullopt;

  bench::Conditions conditions = bench::conditions_before(typed_command());
  if (host.has_gpu) {
    std::string missing;
    host.ceilings = gpu_ceilings(bench::CeilingSet::all, missing);
    if (!missing.empty()) host.remark(missing);
    bench::add_ceilings(conditions, host.ceilings);
  }
  auto results = bench::host_door_results(host, complaint);
  progress.clear();
  if (!results) return std::nullopt;
  results->conditions.insert(results->conditions.begin(), conditions.begin(), conditions.end());
  bench::add_conditions_after(results->conditions);
  return results;
}

}  // namespace ladder::cli
