// SPDX-License-Identifier: MIT
// `ladder launch`: what a profiler watches. Built where there is CUDA.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "bench/device_matrices.hpp"
#include "commands.hpp"
#include "machine.hpp"
#include "profile/rung_profile.hpp"
#include "profile_command.hpp"

namespace ladder::cli {

namespace {

using LaunchFunction = LaunchStatus (*)(const GemmProblem& problem, Stream stream);

LaunchFunction launch_of(const bench::RungChoice& choice) {
  return choice.config == nullptr ? choice.rung->gpu->launch : choice.config->launch;
}

int kernels_in(cudaGraph_t graph) {
  std::size_t count = 0;
  if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return 0;
  std::vector<cudaGraphNode_t> nodes(count);
  if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return 0;
  return static_cast<int>(std::ranges::count_if(nodes, [](cudaGraphNode_t node) {
    cudaGraphNodeType type{};
    return cudaGraphNodeGetType(node, &type) == cudaSuccess && type == cudaGraphNodeTypeKernel;
  }));
}

/// How many kernels one launch consists of, by capturing it; 0 where that failed.
int kernels_of(LaunchFunction launch, const GemmProblem& problem) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  int kernels = 0;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return 0;
  if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed) == cudaSuccess) {
    const LaunchStatus launched = launch(problem, stream);
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess && launched == launch_ok) kernels = kernels_in(graph);
  }
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return kernels;
}

/// Empty, or what went wrong.
std::string launch_and_wait(LaunchFunction launch, const GemmProblem& problem) {
  if (const LaunchStatus status = launch(problem, nullptr); status != launch_ok) return launch_status_text(status);
  const cudaError_t status = cudaDeviceSynchronize();
  return status == cudaSuccess ? std::string() : cudaGetErrorString(status);
}

/// The warm launch, the line that announces the other, and the other. Empty, or what went wrong.
std::string launch_for_profiler(const bench::RungChoice& choice, const GemmProblem& problem) {
  const LaunchFunction launch = launch_of(choice);
  if (const std::string complaint = launch_and_wait(launch, problem); !complaint.empty()) return complaint;
  const profile::Launched announced{choice, kernels_of(launch, problem)};
  if (announced.kernels == 0) return "its launch cannot be captured";
  fmt::print("{}\n", to_text(announced));
  std::fflush(stdout);
  cudaProfilerStart();
  const std::string complaint = launch_and_wait(launch, problem);
  cudaProfilerStop();
  return complaint;
}

int complain(const std::string& what, int code) {
  fmt::print(stderr, "ladder: {}\n", what);
  return code;
}

}  // namespace

int launch_command(const LaunchOptions& options) {
  if (!gpu_name()) return complain("there is no GPU that works here", exit_usage);
  std::string complaint;
  const auto rungs = bench::parse_rungs(options.rungs, complaint);
  if (!rungs) return complain(complaint, exit_usage);
  const bench::BenchProblem problem = problem_of(options);
  complaint = what_is_illegal(problem);
  if (!complaint.empty()) return complain(complaint, exit_usage);
  bench::DeviceMatrices matrices;
  complaint = matrices.place(problem, bench::Data::normal);
  if (!complaint.empty()) return complain(complaint, exit_usage);
  for (const bench::RungChoice& choice : *rungs) {
    complaint = launch_for_profiler(choice, matrices.problem());
    if (!complaint.empty()) return complain(fmt::format("{}: {}", choice.name(), complaint), exit_failed);
  }
  return exit_ok;
}

}  // namespace ladder::cli
