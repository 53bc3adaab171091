// SPDX-License-Identifier: MIT
// Built where there is no CUDA: `ladder bench` says so.
#include "bench_command.hpp"

namespace ladder::cli {

std::string why_no_gpu_timing() {
  return "this build has no CUDA, so it times nothing on a GPU; --door cblas times calls on the host";
}

bench::Ceilings gpu_ceilings(bench::CeilingSet, std::string& complaint) {
  complaint = why_no_gpu_timing();
  return {};
}

std::optional<bench::Results> gpu_results(const BenchOptions&, const BenchPlan&, Progress&, std::string& complaint) {
  complaint = why_no_gpu_timing();
  return std::nullopt;
}

}  // namespace ladder::cli
