// SPDX-License-Identifier: MIT
// How many cores there are for us, and how many of them copy.
#pragma once

#include "config.hpp"

namespace ladder::shim {

/// Cores that the calling thread may run on; at least 1.
int usable_cores();

/// Threads that copy between a caller's matrices and pinned memory.
int copy_threads(const Config& config);

}  // namespace ladder::shim
