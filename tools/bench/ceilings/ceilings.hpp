// SPDX-License-Identifier: MIT
// What the card at hand can do at best, measured on the spot.
#pragma once

#include <cstdint>
#include <string>

#include "bench/roofline.hpp"

namespace ladder::bench {

enum class CeilingSet : std::uint8_t {
  fp32,  ///< what the floor of an FP32 problem needs: multiply-adds and device copy; about a second
  all,   ///< tensor cores and host copies too; a few seconds
};

/// Measures on the current CUDA device, on a stream of its own, and frees what it allocated; synchronises the device.
/// The card is woken up first. Each rate is the median of several runs, timed by CUDA events; those of the arithmetic
/// are of short bursts after a pause, which a card keeps up only until its power limit is reached: they are ceilings,
/// not what it sustains. What could not be measured stays empty, and `complaint` says why; what the GPU does not have
/// (a tensor type) stays empty without a word. Not for use beside other work on the device.
Ceilings measure_ceilings(CeilingSet which, std::string& complaint);

}  // namespace ladder::bench
