// SPDX-License-Identifier: MIT
// Where the CPU's part of a GPU's transfers is done: on the cores of the NUMA node that the GPU is plugged in at, by a
// team of copying threads that GPUs of the same cores share.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu_device.hpp"
#include "offload/copy_team.hpp"
#include "offload/core_set.hpp"

namespace ladder::shim {

/// Who is asked about the machine. Tests ask others.
struct PlacementSources {
  std::string nodes_with_cores = "/sys/devices/system/node/has_cpu";
  std::string hwloc = "libhwloc.so.15";
};

/// By ordinal, the cores of `usable` that are near each GPU. None where nobody knows, where none of them is near or all
/// are. hwloc is loaded only on a machine that has several NUMA nodes with cores.
std::vector<std::optional<CoreSet>> cores_near_gpus(GpuDevice& device, const CoreSet& usable,
                                                    const PlacementSources& sources);

/// For one GPU.
struct HostSide {
  CopyTeam& team;
  const CoreSet* cores;  ///< of the team; null: all that the process may use
};

class Placement {
 public:
  /// `copy_threads`: of each team; 0: by the cores that it may run on.
  Placement(GpuDevice& device, int copy_threads, PlacementSources sources);

  /// The first call asks about the machine. Any thread. Lives as long as this.
  HostSide of(int ordinal);

  /// As CopyTeam's.
  void abandon_in_child();

 private:
  struct PlacedTeam {
    PlacedTeam(const CoreSet& cores_, int threads) : cores(cores_), team(threads, &cores) {}

    const CoreSet cores;
    CopyTeam team;
  };
  struct Teams {
    std::list<PlacedTeam> teams;
    std::vector<PlacedTeam*> by_ordinal;  // null, and beyond the end: anywhere
  };

  std::unique_ptr<Teams> teams_for_gpus() const;

  GpuDevice& device_;
  const int copy_threads_;
  const PlacementSources sources_;
  CopyTeam anywhere_;
  std::once_flag asked_;
  std::unique_ptr<Teams> placed_;
  std::atomic<Teams*> complete_{nullptr};  // for a child, whose parent may have been at work on `placed_`
};

}  // namespace ladder::shim
