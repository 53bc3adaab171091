// SPDX-License-Identifier: MIT
// The current CUDA device, as the conditions of a measurement name it.
#pragma once

#include <optional>
#include <string>

namespace ladder::bench {

struct DeviceFacts {
  std::string name;
  int sm_count = 0;
  std::string pci_bus_id;       ///< "0000:1b:00.0"
  std::string runtime_version;  ///< of the CUDA runtime that is linked, "13.0"
};

/// Nothing where there is no usable GPU, or in a build without CUDA.
std::optional<DeviceFacts> current_device_facts();

}  // namespace ladder::bench
