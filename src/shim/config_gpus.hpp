// SPDX-License-Identifier: MIT
// LADDER_GPUS: which GPUs serve calls with host pointers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "environment.hpp"

namespace ladder::shim {

struct GpusSetting {
  enum class Kind : std::uint8_t {
    current,    ///< the calling thread's
    all,        ///< that the process sees
    listed,     ///< those of `ordinals`
    local_rank  ///< the one that `rank` comes to, counting around
  };
  Kind kind = Kind::current;
  std::vector<int> ordinals{};
  int rank = 0;  ///< of the process among those of its MPI job on this machine
};

/// Reads the variable and, for local-rank, those of the job's launcher. A value that cannot be used adds a line to
/// `complaints`.
GpusSetting parse_gpus(Environment environment, std::vector<std::string>& complaints);

/// The ordinals of a machine with `count` GPUs, each once, in the order given; nothing for Kind::current. Those that it
/// does not have are left out, which `missing` then says in a line; where none is left, the first GPU.
std::vector<int> chosen_gpus(const GpusSetting& setting, int count, std::string& missing);

}  // namespace ladder::shim
