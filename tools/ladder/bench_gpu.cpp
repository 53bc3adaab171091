// SPDX-License-Identifier: MIT
// `ladder bench` on the GPU. Built where there is CUDA.
#include <fmt/format.h>

#include <algorithm>

#include "bench/ceilings/ceilings_report.hpp"
#include "bench/conditions.hpp"
#include "bench/contender.hpp"
#include "bench/device_work.hpp"
#include "bench/measure.hpp"
#include "bench_command.hpp"
#include "library_path.hpp"
#include "machine.hpp"

namespace ladder::cli {

namespace {

// The plan's rungs, and then its peers.
std::optional<std::vector<bench::Contender>> contenders_of(const BenchOptions& options, const BenchPlan& plan,
                                                           std::string& complaint) {
  std::optional<std::vector<bench::Contender>> contenders;
  if (options.door == "cublas") {
    const auto library = find_library();
    if (library.empty()) complaint = library_missing();
    if (!library.empty()) contenders = bench::door_contenders(library, plan.rungs, complaint);
  } else {
    contenders = bench::rung_contenders(plan.rungs);
  }
  if (!contenders) return std::nullopt;
  auto peers = bench::peer_contenders(plan.peers, complaint);
  if (!peers) return std::nullopt;
  std::move(peers->begin(), peers->end(), std::back_inserter(*contenders));
  return contenders;
}

bench::MeasureOptions measure_options(const BenchOptions& options, const BenchPlan& plan,
                                      const bench::Ceilings& ceilings) {
  bench::MeasureOptions measure;
  measure.data = *bench::data_named(options.data);
  measure.cold = !options.warm_cache && options.sustain_s == 0.0;
  measure.sustain_s = options.sustain_s;
  measure.calls = options.calls;
  measure.samples = options.samples;
  measure.pause_s = options.pause_s;
  measure.peer = plan.peers.empty() ? "" : plan.peers.front();
  measure.ceilings = ceilings;
  return measure;
}

// In every sample of every contender: ratios of the shortest problems are nearer to 1 than the work's own.
void add_empty_samples(const bench::Race& race, bench::Conditions& conditions) {
  for (const bool graph : {false, true}) {
    const auto ms = race.empty_sample_ms(graph);
    if (ms)
      conditions.emplace_back(graph ? "empty sample graph" : "empty sample stream", fmt::format("{:.4g} ms", *ms));
  }
}

}  // namespace

std::string why_no_gpu_timing() {
  if (!bench::device_code_is_optimized()) {
    return "this build's GPU code is for a debugger (nvcc -G) and its times would say nothing; build again after "
           "`meson configure BUILD -Dbuildtype=release`";
  }
  return gpu_name() ? std::string() : "there is no GPU that works here; --door cblas times calls on the host";
}

bench::Ceilings gpu_ceilings(bench::CeilingSet which, std::string& complaint) {
  return bench::measure_ceilings(which, complaint);
}

std::optional<bench::Results> gpu_results(const BenchOptions& options, const BenchPlan& plan, Progress& progress,
                                          std::string& complaint) {
  auto contenders = contenders_of(options, plan, complaint);
  if (!contenders) return std::nullopt;
  bench::Results results;
  results.conditions = bench::conditions_before(typed_command());
  if (!plan.peers.empty()) results.conditions.emplace_back("cuBLAS", bench::peer_version());
  results.conditions.emplace_back("door", options.door == "cublas" ? "cublasSgemm_v2" : "none: the kernels themselves");

  progress.show("ceilings", 0, plan.problems.size());
  const bool tensor_cores = std::any_of(contenders->begin(), contenders->end(), bench::may_use_tensor_cores);
  std::string missing;
  const bench::Ceilings ceilings =
      gpu_ceilings(options.ceilings || tensor_cores ? bench::CeilingSet::all : bench::CeilingSet::fp32, missing);
  bench::add_ceilings(results.conditions, ceilings);
  progress.clear();
  if (!missing.empty()) fmt::print(stderr, "ladder: {}\n", missing);

  bench::Race race(std::move(*contenders), measure_options(options, plan, ceilings));
  complaint = race.complaint();
  if (!complaint.empty()) return std::nullopt;
  add_empty_samples(race, results.conditions);
  results.rows = race.run(plan.problems, [&](const bench::BenchProblem& problem, std::size_t done, std::size_t all) {
    progress.show(bench::to_text(problem), done, all);
  });
  progress.clear();
  bench::add_conditions_after(results.conditions, race.throttle_seen());
  return results;
}

}  // namespace ladder::cli
