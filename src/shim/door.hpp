// SPDX-License-Identifier: MIT
// Through which exported function a call came in (expanded from doors.def).
#pragma once

#include <cstdint>

namespace ladder::shim {

enum class Door : std::uint8_t {
#define DEVICE_DOOR(name) name,
#define HOST_DOOR(name, form) name,
#include "doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};

inline constexpr const char* door_names[] = {
#define DEVICE_DOOR(name) #name,
#define HOST_DOOR(name, form) #name,
#include "doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};

inline constexpr int door_count = sizeof door_names / sizeof door_names[0];

constexpr const char* door_name(Door door) { return door_names[static_cast<int>(door)]; }

}  // namespace ladder::shim
