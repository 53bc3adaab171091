// SPDX-License-Identifier: MIT
// Built where there is CUDA.
#include "place.hpp"
#include "support/gpu_run.hpp"

namespace ladder::cli {

namespace {

class GpuPlace final : public Place {
 public:
  std::string run(const RungKernel& kernel, const GemmProblem& problem) override {
    return test::run_on_gpu(kernel.launch, problem);
  }

  const RungKernel* kernel_of(const Rung& rung) const override { return rung.gpu; }

  const char* name() const override { return "gpu"; }
};

}  // namespace

std::unique_ptr<Place> gpu_place() { return std::make_unique<GpuPlace>(); }

}  // namespace ladder::cli
