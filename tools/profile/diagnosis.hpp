// SPDX-License-Identifier: MIT
// Which part of the machine a kernel waits for, as far as its figures tell.
#pragma once

#include <string>

#include "figures.hpp"

namespace ladder::profile {

struct Limiter {
  std::string key;       ///< "scattered_loads", "fma_pipe", ... or "none"
  std::string sentence;  ///< for people, with the numbers that it rests on; next to no warps that wait are not named
};

/// The first rule that the figures fulfil, from the most telling to the least; "none" where none does. A rule of which
/// a figure is missing is passed over.
Limiter limiter_of(const Figures& figures);

}  // namespace ladder::profile
