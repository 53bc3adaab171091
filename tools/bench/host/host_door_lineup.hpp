// SPDX-License-Identifier: MIT
// Who takes part in a race of host doors: libraries found, opened and put in order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host_door.hpp"
#include "host_door_contender.hpp"

namespace ladder::bench {

struct LineUp {
  std::vector<std::unique_ptr<HostContender>> ours;   ///< one for each rung
  std::vector<std::unique_ptr<HostContender>> peers;  ///< the first is what ratios are against
  Conditions conditions;                              ///< what each of them is
};

/// The CPU BLAS to open: `named`, where it is not empty, else what LADDER_BLAS names, else OpenBLAS as the loader finds
/// it.
std::string openblas_file(const std::string& named);

/// Nothing, and why, where the race cannot be held. A peer that nobody asked for by name and that does not work here is
/// left out, with a remark.
std::optional<LineUp> line_up(const HostDoorOptions& options, std::string& complaint);

}  // namespace ladder::bench
