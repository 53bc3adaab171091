// SPDX-License-Identifier: MIT
// One product on several GPUs: each has a thread that drives it, and claims panels until there are none.
#pragma once

#include <array>
#include <barrier>
#include <cstddef>
#include <optional>
#include <vector>

#include "offload/engine.hpp"

namespace ladder::shim {

/// Nothing of C has been written, and the CPU can reach the matrices.
OffloadOutcome failed_untouched(LaunchStatus status, const GemmProblem& problem);

/// What the GPUs of a call need from the engine.
struct SharedMeans {
  GpuDevice& device;
  Placement& placement;
  std::array<OffloadContext, most_contexts>& contexts;
  OffloadLimits limits;  ///< of each GPU
};

/// A GPU that fails leaves what it has claimed to the CPU, and the rest to the other GPUs. All are given the same cut,
/// for the one that has the least memory.
class SharedProduct {
 public:
  SharedProduct(const SharedMeans& means, const Rung& rung, const GemmProblem& problem,
                const std::vector<int>& ordinals);

  /// `lap`: of the first GPU.
  OffloadOutcome run(GpuLap& lap);

  /// After run(): true where nothing was done, because all matrices lie on a GPU already.
  bool is_on_gpu() const { return is_on_gpu_; }
  /// After run(): bytes that the cut was for, of each GPU.
  std::size_t budget() const { return budget_; }

 private:
  struct Worker {
    int ordinal = 0;
    LaunchStatus status = launch_ok;
    std::size_t budget = 0;  // 0: takes no part
    bool began = false;
    bool lost = false;
    bool beyond_cpu = false;
    bool on_gpu = false;
    std::vector<Rectangle> unwritten{};
  };
  struct CutForAll {
    SharedProduct* product;
    void operator()() noexcept { product->cut_for_all(); }
  };

  void work(int index, GpuLap& lap) noexcept;
  LaunchStatus multiply(OffloadContext& context, CopyTeam& team, const Reach& reach, int index, GpuLap& lap);
  void cut_for_all();
  OffloadOutcome merged();

  const SharedMeans means_;
  const Rung& rung_;
  const GemmProblem& problem_;
  std::vector<Worker> workers_;
  std::barrier<CutForAll> budgets_known_;
  std::size_t budget_ = 0;
  bool is_on_gpu_ = false;
  std::optional<Cut> cut_;
  std::optional<PanelClaims> claims_;
};

}  // namespace ladder::shim
