// SPDX-License-Identifier: MIT
// How the log and the summary spell who served a call, where, and why. None of these texts has a space in it.
#pragma once

#include <string>

#include "served.hpp"

namespace ladder::shim {

/// The rung's number, its id where it has none, "none" where it was no rung.
std::string rung_text(const Rung* rung);

/// The rung's name, "next_blas" or "none".
const char* server_name(const Served& served);

/// "gpu:0", or "gpu" where the number is not known; "emulate", "cpu".
std::string device_text(const Served& served);

/// The reason; for a fallback also what failed: "fallback:out-of-memory".
std::string why_text(const Served& served);

}  // namespace ladder::shim
