// SPDX-License-Identifier: MIT
// Memory that is known to be the host's without asking anybody.
#pragma once

namespace ladder::shim {

/// True where `address` lies in what the process has taken from the kernel with brk(), which is where malloc() has
/// small blocks from. A GPU's memory is never there. False says nothing. A few nanoseconds but for the first call,
/// which reads a file of /proc; any thread.
bool lies_below_program_break(const void* address);

}  // namespace ladder::shim
