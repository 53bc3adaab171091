// SPDX-License-Identifier: MIT
// Memory in which the blocks of one launch hand partial sums to each other.
#pragma once

#include <cstdint>

#include "rung.hpp"

namespace ladder {

inline constexpr std::int64_t scratch_floats = std::int64_t{13} << 20;  ///< 52 MiB
inline constexpr std::int64_t scratch_tickets = 16384;

/// Of one stream: its launches come one after the other, so that each may use all of it. It never moves, so that a
/// captured graph may keep the addresses; a graph must not run beside other work of the stream it was captured on.
struct Scratch {
  float* parts = nullptr;            ///< scratch_floats of them, aligned to 256 bytes; null: there is none to be had
  std::uint32_t* tickets = nullptr;  ///< scratch_tickets counters. A launch finds 0 in each and leaves 0 in each.
};

namespace gpu {

/// Of the current device and this stream. The first call for a stream allocates, also while the stream is captured;
/// later ones take no lock. Null pointers where there is no memory, and beyond 32 streams of a device.
Scratch scratch_of(Stream stream);

}  // namespace gpu

namespace emulated {

/// Of the calling thread.
Scratch scratch_of(Stream stream);

}  // namespace emulated

}  // namespace ladder
