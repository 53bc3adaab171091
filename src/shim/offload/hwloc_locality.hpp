// SPDX-License-Identifier: MIT
// What hwloc knows of where GPUs are plugged in.
#pragma once

#include <optional>
#include <vector>

#include "gpu_device.hpp"
#include "offload/core_set.hpp"

namespace ladder::shim {

/// For each address the cores local to it; none where hwloc does not know, and for no address where the file `library`
/// is not there or is not hwloc 2. The file stays loaded, and nothing else of it is kept. May throw std::bad_alloc.
std::vector<std::optional<CoreSet>> cores_local_to(const std::vector<std::optional<PciAddress>>& addresses,
                                                   const char* library);

}  // namespace ladder::shim
