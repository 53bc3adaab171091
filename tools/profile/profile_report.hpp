// SPDX-License-Identifier: MIT
// A profile for people, and as JSON.
#pragma once

#include <string>

#include "results.hpp"
#include "rung_profile.hpp"

namespace ladder::profile {

/// For each rung: its figures beside those of the rung below, what it was meant to move, and its limiter.
std::string to_text(const Profile& profile, const bench::Conditions& conditions);

/// {"conditions":{...},"problem":{...},"rungs":[{"rung":..,"figures":{..},"below":..,"moved":[..],"limiter":{..}}]};
/// null for what could not be had.
std::string to_json(const Profile& profile, const bench::Conditions& conditions);

}  // namespace ladder::profile
