// SPDX-License-Identifier: MIT
// From a number drawn at random to the element of an operand: what the kinds of data have beyond their distribution.
#pragma once

#include <cmath>
#include <cstdint>

#include "matrix_data.hpp"

#ifdef __CUDACC__
#define LADDER_HOST_AND_DEVICE __host__ __device__
#else
#define LADDER_HOST_AND_DEVICE
#endif

namespace ladder::bench {

/// Where an element stands: in which operand, in which row of op(A) or column of op(B), and at which k.
struct OperandPlace {
  bool in_a;
  std::int64_t line;
  std::int64_t lines;
  std::int64_t k;
  std::int64_t depth;  ///< of k
};

/// Bits that depend on the place alone and look random (the finalizer of SplitMix64).
LADDER_HOST_AND_DEVICE inline std::uint64_t bits_of(const OperandPlace& at) {
  auto bits = static_cast<std::uint64_t>(at.line * at.depth + at.k) * 2 + (at.in_a ? 1 : 0) + 1;
  bits *= 0x9e3779b97f4a7c15u;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return bits ^ bits >> 31;
}

/// -steepest to steepest in equal steps, over `extent` indices.
LADDER_HOST_AND_DEVICE inline int rising(std::int64_t index, std::int64_t extent, int steepest) {
  return static_cast<int>((2 * steepest + 1) * index / extent) - steepest;
}

/// The element at that place; `drawn` is from the normal distribution, or the uniform one where the data are.
LADDER_HOST_AND_DEVICE inline float element_of(Data data, float drawn, const OperandPlace& at) {
  constexpr int graded_binades = 10, graded_row_binades = 25, log_normal_deviation = 10, log_normal_binades = 30;
  constexpr int one_in = 10, subnormal_binades = 130, huge_a_binades = 60, huge_b_binades = 40;
  constexpr int spike_distance = 64, spike_binades = 30, spread_binades = 16;
  switch (data) {
    case Data::zeros:
      return 0.0f;
    case Data::graded: {
      const int exponent = rising(at.k, at.depth, graded_binades);
      return ldexpf(drawn, at.in_a ? exponent : -exponent);
    }
    case Data::graded_rows:
      return ldexpf(drawn, rising(at.line, at.lines, graded_row_binades));
    case Data::log_normal: {
      const float binades = static_cast<float>(log_normal_binades);
      const float exponent = fminf(fmaxf(drawn * log_normal_deviation, -binades), binades);
      return bits_of(at) % 2 == 0 ? exp2f(exponent) : -exp2f(exponent);
    }
    case Data::sparse:
      return bits_of(at) % one_in == 0 ? drawn : 0.0f;
    case Data::subnormal:
      return at.in_a ? ldexpf(drawn, -subnormal_binades) : drawn;
    case Data::huge:
      return ldexpf(drawn, at.in_a ? huge_a_binades : huge_b_binades);
    case Data::spiked:
      return at.k % spike_distance == (at.in_a ? 0 : spike_distance / 2) ? ldexpf(drawn, spike_binades) : drawn;
    case Data::spread: {
      int drawn_exponent = 0;
      const float mantissa = 2.0f * frexpf(drawn, &drawn_exponent);
      return ldexpf(mantissa, -static_cast<int>(bits_of(at) % spread_binades));
    }
    case Data::normal:
    case Data::uniform:
    case Data::positive:
      break;
  }
  return drawn;
}

}  // namespace ladder::bench
