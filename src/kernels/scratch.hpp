// SPDX-License-Identifier: MIT
// Memory in which the blocks of one launch hand partial sums to each other.
#pragma once

#include <cstdint>

#include "rung.hpp"

namespace ladder {

inline constexpr std::int64_t scratch_floats = std::int64_t{13} << 20;  ///< 52 MiB
inline constexpr std::int64_t scratch_tickets = 16384;

/// Of launches that come one after the other, so that each may use all of it. It never moves.
struct Scratch {
  float* parts = nullptr;            ///< as many as were asked for, aligned to 256 bytes; null: there is none to be had
  std::uint32_t* tickets = nullptr;  ///< scratch_tickets counters. A launch finds 0 in each and leaves 0 in each.
};

namespace gpu {

/// Of the current context, for a launch on this stream that needs `floats` parts, at most scratch_floats. The first
/// call for a stream allocates; later ones take no lock. While the stream is captured, the memory is the graph's: no
/// other graph, no other stream of the same capture and no launch outside it gets it before the graph and all its
/// executables are gone. Null pointers where there is no memory, beyond 32 streams of a context, and where the graphs
/// of a context hold a thirty-second of its device's memory.
Scratch scratch_of(Stream stream, std::int64_t floats);

}  // namespace gpu

namespace emulated {

/// Of the calling thread.
Scratch scratch_of(Stream stream, std::int64_t floats);

}  // namespace emulated

}  // namespace ladder
