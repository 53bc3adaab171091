// SPDX-License-Identifier: MIT
// What this build and this machine can run a rung on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rung.hpp"

namespace ladder::cli {

/// Name of the current CUDA device; nothing where there is no GPU, no driver, or no CUDA in this build.
std::optional<std::string> gpu_name();

/// Values of LADDER_DEVICE under which the rung itself runs here: "gpu", "emulate".
std::vector<std::string> devices_of(const Rung& rung);

/// What LADDER_RUNG calls the rung: its number, or its name where it has none.
std::string rung_label(const Rung& rung);

}  // namespace ladder::cli
