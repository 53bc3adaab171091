// SPDX-License-Identifier: MIT
// How many cores there are for us, and how many of them copy.
#pragma once

#include "config.hpp"
#include "offload/core_set.hpp"

namespace ladder::shim {

/// Those that the thread which loaded the library could run on then; empty where the system did not say.
const CoreSet& cores_of_process();

/// How many these are; at least 1.
int usable_cores();

/// Lets the calling thread, one of our own, run on all of them, whatever its creator is tied to.
void take_cores_of_process();

/// The same with some of them; null, or where the system refuses: with all.
void take_cores(const CoreSet* cores);

/// Threads that copy between a caller's matrices and pinned memory, of those that may run on so many cores. `wished`: 0
/// for the default.
int copy_threads(int wished, int cores);
/// Where they may run on all cores of the process.
int copy_threads(const Config& config);

}  // namespace ladder::shim
