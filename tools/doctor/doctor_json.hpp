// SPDX-License-Identifier: MIT
// What the doctor found, as JSON.
#pragma once

#include <string>

#include "diagnosis.hpp"

namespace ladder::doctor {

/// {"program":{..},"surroundings":{..},"objects":[..],"run":{..},"calls":[..],"passed_on":[..],"shapes":[..],
/// "bindings":[..],"remarks":[..],"verdict":{..}}; null for what is not known. `run` is null where there was none.
std::string to_json(const Before& before, const Run* run);

}  // namespace ladder::doctor
