// SPDX-License-Identifier: MIT
// A profile that was kept as CSV, for another look at it: with other words or rules, or where there is no GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "results.hpp"
#include "rung_profile.hpp"

namespace ladder::profile {

struct KeptProfile {
  Profile profile;
  bench::Conditions conditions;
};

/// What to_csv() wrote. Nothing and one line "PATH[:LINE]: what is wrong" where the file is something else.
std::optional<KeptProfile> read_kept_profile(const std::filesystem::path& path, std::string& complaint);

}  // namespace ladder::profile
