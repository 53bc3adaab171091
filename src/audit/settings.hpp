// SPDX-License-Identifier: MIT
// What the environment asks of the auditor.
#pragma once

namespace ladder::audit {

struct Settings {
  const char* log = nullptr;  ///< LADDER_AUDIT_LOG, or null
  bool record_only = false;   ///< LADDER_AUDIT=record
  bool secure = false;        ///< the program has more rights than its caller: the auditor stays out of it
};

/// Those of the environment with which the process began; the defaults where the loader did not hand it over.
const Settings& settings();

}  // namespace ladder::audit
