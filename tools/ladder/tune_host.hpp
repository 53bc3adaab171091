// SPDX-License-Identifier: MIT
// `ladder tune --host`.
#pragma once

#include <string>

#include "tune_command.hpp"

namespace ladder::cli {

/// Measures this machine's CPU BLAS and the library's own way through the GPU, prints the rates and keeps them in the
/// cache at `path`. Without a GPU that works: the CPU's alone, and nothing is kept.
int tune_host(const TuneOptions& options, const std::string& path);

}  // namespace ladder::cli
