// SPDX-License-Identifier: MIT
// A profile as it is kept: every counter of every kernel, in the unit in which it came.
#pragma once

#include <string>

#include "results.hpp"
#include "rung_profile.hpp"

namespace ladder::profile {

/// `# name: value` lines, then rung,name,kernel,metric,unit,value; a counter that could not be had has no value.
std::string to_csv(const Profile& profile, const bench::Conditions& conditions);

}  // namespace ladder::profile
