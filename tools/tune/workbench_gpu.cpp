// SPDX-License-Identifier: MIT
// The GPU as a workbench. Built where there is CUDA.
#include <cuda_runtime_api.h>

#include <vector>

#include "bench/device_matrices.hpp"
#include "bench/device_work.hpp"
#include "bench/gpu_timer.hpp"
#include "bench/host_clock.hpp"
#include "gpu_identity.hpp"
#include "workbench.hpp"

namespace ladder::tune {

namespace {

constexpr double wake_up_ms = 500.0;  // an idle card sleeps: burn work before timing
constexpr double us_per_s = 1e6;

/// Runs the configuration; the first time with k = 0, which loads its code at no cost worth naming.
bench::Enqueue work_of(const KernelConfig& config, const GemmProblem& problem) {
  return [&config, problem, loaded = false](Stream stream) mutable {
    GemmProblem now = problem;
    if (!loaded) now.k = 0;
    loaded = true;
    return bench::launch_complaint(config.launch(now, stream));
  };
}

class GpuStopwatch final : public Stopwatch {
 public:
  GpuStopwatch(const bench::GpuTimer& timer, const RungKernel& kernel, const GemmProblem& problem)
      : timer_(timer), kernel_(kernel), problem_(problem), works_(kernel.configs.size()) {}

  std::optional<double> time_ms(int config) override {
    const auto index = static_cast<std::size_t>(config);
    std::unique_ptr<bench::TimedWork>& work = works_[index];
    double ms = 0.0;
    if (work == nullptr) {
      work = std::make_unique<bench::TimedWork>(timer_, work_of(kernel_.configs[index], problem_),
                                                bench::TimingMode{.cold = true, .graph = false});
      ms = work->estimate();
    } else {
      ms = work->sample();
    }
    return work->complaint().empty() ? std::optional(ms) : std::nullopt;
  }

 private:
  const bench::GpuTimer& timer_;
  const RungKernel& kernel_;
  GemmProblem problem_;
  std::vector<std::unique_ptr<bench::TimedWork>> works_;
};

class GpuWorkbench final : public Workbench {
 public:
  explicit GpuWorkbench(int multiprocessors) : multiprocessors_(multiprocessors) {}

  std::string place(const bench::BenchProblem& problem) override {
    if (std::string complaint = matrices_.place(problem, bench::Data::normal); !complaint.empty()) return complaint;
    if (awake_) return {};
    awake_ = true;
    const RungKernel& kernel = *default_rung().gpu;
    return timer_.run_for(
        [&](Stream stream) {
          return bench::launch_complaint(kernel.configs.back().launch(matrices_.problem(), stream));
        },
        wake_up_ms);
  }

  const GemmProblem& problem() const override { return matrices_.problem(); }
  const RungKernel* kernel_of(const Rung& rung) const override { return rung.gpu; }
  int multiprocessors() const override { return multiprocessors_; }
  double now_s() const override { return clock_.microseconds() / us_per_s; }
  const std::string& complaint() const { return timer_.complaint(); }

  std::unique_ptr<Stopwatch> stopwatch(const RungKernel& kernel) override {
    return std::make_unique<GpuStopwatch>(timer_, kernel, matrices_.problem());
  }

 private:
  int multiprocessors_;
  bench::GpuTimer timer_;
  bench::DeviceMatrices matrices_;
  bench::HostTimer clock_;
  bool awake_ = false;
};

}  // namespace

std::unique_ptr<Workbench> gpu_workbench(std::string& complaint) {
  if (!bench::device_code_is_optimized()) {
    complaint = "this build's GPU code is for a debugger (nvcc -G): what is quickest there is not so elsewhere";
    return nullptr;
  }
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) {
    complaint = std::string("there is no GPU that works here: ") + cudaGetErrorString(error);
    return nullptr;
  }
  auto bench = std::make_unique<GpuWorkbench>(gpu_identity(device).multiprocessors);
  if (bench->complaint().empty()) return bench;
  complaint = "there is no GPU that works here: " + bench->complaint();
  return nullptr;
}

}  // namespace ladder::tune
