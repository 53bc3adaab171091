// SPDX-License-Identifier: MIT
#include "gpu_kernels.hpp"

#include <cuda_runtime_api.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

#include "choose_config.hpp"
#include "support/rung_case.hpp"

namespace ladder::test {

namespace {

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
  REQUIRE(cudaDeviceGetAttribute(&value, attribute, device) == cudaSuccess);
  return value;
}

int multiprocessors() {
  static const int count = device_attribute(cudaDevAttrMultiProcessorCount);
  return count;
}

template <class Wanted>
std::vector<Kernel> some_kernels(const Wanted& wanted) {
  std::vector<Kernel> some = gpu_kernels();
  std::erase_if(some, [&wanted](const Kernel& kernel) { return !wanted(kernel); });
  return some;
}

TuningSlot current_slot() {
  int device = 0;
  REQUIRE(cudaGetDevice(&device) == cudaSuccess);
  return TuningSlot{device};
}

}  // namespace

Kernel::Kernel(const Rung& rung, std::size_t config) : rung_(&rung), name_(rung.name) {
  if (config == own_choice) return;
  config_ = &rung.gpu->configs[config];
  name_ += std::string(":") + config_->name;
}

Sums Kernel::sums() const {
  if (uses_tensor_cores(precision())) return Sums::by_slab;
  return config_ ? config_->sums : sums_of(*rung_->gpu);
}

bool Kernel::runs(const GemmProblem& problem) const {
  if (config_ != nullptr) return can_run(*config_, problem, multiprocessors());
  return rung_->gpu->declines == nullptr || rung_->gpu->declines(problem) == nullptr;
}

Kernel::Emulated Kernel::with_choice(const GemmProblem& problem) const {
  if (uses_tensor_cores(precision())) return {nullptr, Sums::by_slab};
  const auto configs = rung_->gpu->configs;
  if (configs.empty()) return {rung_->emulated->launch, Sums::by_k};
  const KernelConfig& chosen =
      config_ ? *config_ : choose_config(rung_key(rung_->id), configs, problem, multiprocessors(), current_slot());
  // Both devices' tables expand the same list.
  const KernelConfig& emulated = rung_->emulated->configs[static_cast<std::size_t>(&chosen - configs.data())];
  REQUIRE(std::string_view(emulated.name) == chosen.name);
  return {emulated.launch, chosen.sums};
}

std::vector<Kernel> gpu_kernels() {
  std::vector<Kernel> all;
  for (const Rung& rung : rungs()) {
    if (rung.gpu == nullptr) continue;
    all.emplace_back(rung);
    for (std::size_t i = 0; i < rung.gpu->configs.size(); ++i) all.emplace_back(rung, i);
  }
  return all;
}

std::vector<Kernel> gpu_kernels_with_blocks() {
  return some_kernels([](const Kernel& kernel) { return kernel.sums() != Sums::by_k; });
}

std::vector<Kernel> gpu_fma_kernels() {
  return some_kernels([](const Kernel& kernel) { return !uses_tensor_cores(kernel.precision()); });
}

std::vector<Kernel> gpu_fma_kernels_with_blocks() {
  return some_kernels(
      [](const Kernel& kernel) { return !uses_tensor_cores(kernel.precision()) && kernel.sums() != Sums::by_k; });
}

std::vector<Kernel> gpu_tensor_kernels() {
  return some_kernels([](const Kernel& kernel) { return uses_tensor_cores(kernel.precision()); });
}

std::vector<Kernel> gpu_tensor_rungs() {
  return some_kernels(
      [](const Kernel& kernel) { return uses_tensor_cores(kernel.precision()) && kernel.config() == nullptr; });
}

bool emulator_is_alike() {
  constexpr int emulated_capability = 9;
  return multiprocessors() == emulated_multiprocessors &&
         device_attribute(cudaDevAttrComputeCapabilityMajor) == emulated_capability &&
         device_attribute(cudaDevAttrComputeCapabilityMinor) == 0;
}

}  // namespace ladder::test
