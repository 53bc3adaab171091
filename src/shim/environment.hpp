// SPDX-License-Identifier: MIT
// Where settings come from: the process's environment, or a test's.
#pragma once

namespace ladder::shim {

/// Value of an environment variable, or null.
using Environment = const char* (*)(const char* name);

}  // namespace ladder::shim
