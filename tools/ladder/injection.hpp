// SPDX-License-Identifier: MIT
// What brings our libraries into a program: LD_PRELOAD and LD_AUDIT, set for this process and what it becomes.
#pragma once

namespace ladder::cli {

enum class Injection {
  preload,           ///< libladderblas before whatever else is preloaded
  preload_and_audit  ///< also the auditor, for references that a preload does not reach
};

/// Sets the variables; what the user has in them stays behind ours. False, and a line on stderr, where a library is
/// missing or lies at a path that a variable cannot hold.
bool inject(Injection injection);

}  // namespace ladder::cli
