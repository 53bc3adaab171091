// SPDX-License-Identifier: MIT
#include "offload/placement.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "offload/cores.hpp"
#include "offload/hwloc_locality.hpp"
#include "tuning_cache.hpp"

namespace ladder::shim {

namespace {

/// The system's list of nodes is "0", or "0-1", or "0,8".
bool has_several_nodes(const std::string& list_file) {
  std::string why_not;
  return read_whole_file(list_file, why_not).value_or("").find_first_of("-,") != std::string::npos;
}

}  // namespace

std::vector<std::optional<CoreSet>> cores_near_gpus(GpuDevice& device, const CoreSet& usable,
                                                    const PlacementSources& sources) {
  int count = 0;
  if (!has_several_nodes(sources.nodes_with_cores) || device.count(count) != launch_ok) return {};
  std::vector<std::optional<PciAddress>> addresses(static_cast<std::size_t>(count));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    PciAddress address;
    if (device.pci_address(ordinal, address) == launch_ok) addresses[static_cast<std::size_t>(ordinal)] = address;
  }
  std::vector<std::optional<CoreSet>> near = cores_local_to(addresses, sources.hwloc.c_str());
  for (std::optional<CoreSet>& cores : near) {
    if (cores) cores = cores->common_with(usable);
    if (cores && (cores->count() == 0 || *cores == usable)) cores.reset();
  }
  return near;
}

Placement::Placement(GpuDevice& device, int copy_threads, PlacementSources sources)
    : device_(device),
      copy_threads_(copy_threads),
      sources_(std::move(sources)),
      anywhere_(shim::copy_threads(copy_threads, usable_cores())) {}

HostSide Placement::of(int ordinal) {
  std::call_once(asked_, [this] {
    try {
      placed_ = teams_for_gpus();
    } catch (const std::exception&) {
      // No memory to know better: anywhere.
    }
    complete_.store(placed_.get(), std::memory_order_release);
  });
  const bool is_known =
      placed_ != nullptr && ordinal >= 0 && static_cast<std::size_t>(ordinal) < placed_->by_ordinal.size();
  PlacedTeam* placed = is_known ? placed_->by_ordinal[static_cast<std::size_t>(ordinal)] : nullptr;
  return placed != nullptr ? HostSide{placed->team, &placed->cores} : HostSide{anywhere_, nullptr};
}

std::unique_ptr<Placement::Teams> Placement::teams_for_gpus() const {
  auto made = std::make_unique<Teams>();
  for (const std::optional<CoreSet>& cores : cores_near_gpus(device_, cores_of_process(), sources_)) {
    PlacedTeam*& mine = made->by_ordinal.emplace_back(nullptr);
    if (!cores) continue;
    const auto same = std::ranges::find(made->teams, *cores, &PlacedTeam::cores);
    mine = same != made->teams.end()
               ? &*same
               : &made->teams.emplace_back(*cores, shim::copy_threads(copy_threads_, cores->count()));
  }
  return made;
}

void Placement::abandon_in_child() {
  anywhere_.abandon_in_child();
  Teams* placed = complete_.load(std::memory_order_acquire);
  if (placed == nullptr) return;
  for (PlacedTeam& one : placed->teams) one.team.abandon_in_child();
}

}  // namespace ladder::shim
