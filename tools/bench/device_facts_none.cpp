// SPDX-License-Identifier: MIT
// The CUDA device of a build without CUDA: there is none.
#include "device_facts.hpp"

namespace ladder::bench {

std::optional<DeviceFacts> current_device_facts() { return std::nullopt; }

}  // namespace ladder::bench
