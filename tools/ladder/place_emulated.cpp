// SPDX-License-Identifier: MIT
#include "place.hpp"

namespace ladder::cli {

namespace {

class EmulatedPlace final : public Place {
 public:
  std::string run(const RungKernel& kernel, const GemmProblem& problem) override {
    const LaunchStatus status = kernel.launch(problem, nullptr);
    return status == launch_ok ? std::string() : launch_status_text(status);
  }

  const RungKernel* kernel_of(const Rung& rung) const override { return rung.emulated; }

  const char* name() const override { return "emulate"; }
};

}  // namespace

std::unique_ptr<Place> emulated_place() { return std::make_unique<EmulatedPlace>(); }

}  // namespace ladder::cli
