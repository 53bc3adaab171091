// SPDX-License-Identifier: MIT
// Who did the work of one call, where, and why: what the log and the counters are told.
#pragma once

#include <cstdint>

#include "rung.hpp"

namespace ladder::shim {

enum class Server : std::uint8_t { rung, next_blas, nobody };
enum class Place : std::uint8_t { gpu, emulate, cpu };

inline constexpr int place_count = 3;

/// Words of the log for a call that needed no work (m = 0 and the like).
inline constexpr const char* why_noop = "noop";

struct Served {
  Server server = Server::nobody;
  const Rung* rung = nullptr;  ///< set when `server` is a rung
  Place place = Place::cpu;
  int gpu_ordinal = -1;           ///< -1: not known
  const char* why = why_noop;     ///< one word; static storage
  const char* failure = nullptr;  ///< what the first choice failed with, where this is a fallback
};

inline const char* place_name(Place place) {
  constexpr const char* names[place_count] = {"gpu", "emulate", "cpu"};
  return names[static_cast<int>(place)];
}

}  // namespace ladder::shim
