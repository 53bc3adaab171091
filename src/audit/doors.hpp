// SPDX-License-Identifier: MIT
// The names that the auditor looks for: the doors that libladderblas exports, and what else looks like a GEMM.
#pragma once

namespace ladder::audit {

/// Libraries whose doors call each other: cuBLAS and cuBLASLt; a BLAS, its CBLAS and the wrappers of these.
enum class Kind : unsigned char { device, host };

struct DoorName {
  const char* text;
  Kind kind;
};

inline constexpr DoorName doors[] = {
#define DEVICE_DOOR(name) {#name, Kind::device},
#define HOST_DOOR(name, form) {#name, Kind::host},
#include "../shim/doors.def"
#undef DEVICE_DOOR
#undef HOST_DOOR
};
inline constexpr int door_count = sizeof doors / sizeof doors[0];

/// Index in doors[], or -1.
int door_index(const char* symbol);

/// For a name so short that a program may give it to a function of its own: the name beside which it is a BLAS's.
/// Null for all others.
const char* companion_of(const char* door);

/// The name of some matrix product, of any type, or of cuBLASLt.
bool is_gemm_like(const char* symbol);

}  // namespace ladder::audit
