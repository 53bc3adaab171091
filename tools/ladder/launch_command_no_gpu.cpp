// SPDX-License-Identifier: MIT
// Built where there is no CUDA.
#include <fmt/format.h>

#include "commands.hpp"
#include "profile_command.hpp"

namespace ladder::cli {

int launch_command(const LaunchOptions&) {
  fmt::print(stderr, "ladder: this build has no GPU kernels\n");
  return exit_usage;
}

}  // namespace ladder::cli
