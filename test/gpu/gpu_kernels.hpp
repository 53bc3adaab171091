// SPDX-License-Identifier: MIT
// What the GPU suite iterates: every rung's own choice, and each configuration that it chooses from.
#pragma once

#include <string>
#include <vector>

#include "rung.hpp"
#include "support/gpu_run.hpp"

namespace ladder::test {

/// A rung or one of its configurations, as compiled for the GPU and for the emulator.
class Kernel {
 public:
  explicit Kernel(const Rung& rung, std::size_t config = own_choice);

  const std::string& name() const { return name_; }
  const TileExtents& tile() const { return config_ ? config_->tile : rung_->gpu->tile; }
  Precision precision() const { return rung_->precision; }
  Sums sums() const;
  Launch launch() const { return config_ ? config_->launch : rung_->gpu->launch; }
  const KernelConfig* config() const { return config_; }  ///< null for a rung's own choice

  /// False for a configuration that is not made for this problem, or not for this GPU, and for a rung that declines it.
  /// Addresses on the host will do.
  bool runs(const GemmProblem& problem) const;

  /// Of what runs for this problem (a rung's own choice may be any of its configurations): how it sums, and the same in
  /// the emulator, whose bits it has where emulator_is_alike(); null for tensor cores, which the emulator need not
  /// round like.
  Sums sums_for(const GemmProblem& problem) const { return with_choice(problem).sums; }
  Launch emulated_for(const GemmProblem& problem) const { return with_choice(problem).launch; }

 private:
  static constexpr std::size_t own_choice = static_cast<std::size_t>(-1);

  struct Emulated {
    Launch launch;
    Sums sums;
  };
  Emulated with_choice(const GemmProblem& problem) const;

  const Rung* rung_;
  const KernelConfig* config_ = nullptr;
  std::string name_;
};

/// All of them, bottom to top.
std::vector<Kernel> gpu_kernels();

/// Those that may sum in blocks of k, on tensor cores too.
std::vector<Kernel> gpu_kernels_with_blocks();

/// Those of FP32 FMAs alone, and of them those that may sum in blocks of k; those on tensor cores.
std::vector<Kernel> gpu_fma_kernels();
std::vector<Kernel> gpu_fma_kernels_with_blocks();
std::vector<Kernel> gpu_tensor_kernels();

/// Of the latter, the rungs' own choices.
std::vector<Kernel> gpu_tensor_rungs();

/// True where the current GPU has the multiprocessors and the architecture that the emulator reports: sums in blocks of
/// k are then divided alike.
bool emulator_is_alike();

}  // namespace ladder::test
