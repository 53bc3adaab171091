// SPDX-License-Identifier: MIT
// How many cores there are for us, and how many of them copy.
#pragma once

#include "config.hpp"

namespace ladder::shim {

/// Cores that the thread which loaded the library could run on then; at least 1.
int usable_cores();

/// Lets the calling thread, one of our own, run on all of them, whatever its creator is tied to.
void take_cores_of_process();

/// Threads that copy between a caller's matrices and pinned memory.
int copy_threads(const Config& config);

}  // namespace ladder::shim
