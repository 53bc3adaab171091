// SPDX-License-Identifier: MIT
// The options that cases take in turn.
#pragma once

#include <cstddef>
#include <iterator>

#include "rung_case.hpp"

namespace ladder::test {

struct Blend {
  float alpha;
  float beta;
};
inline constexpr Blend blends[] = {{1.0f, 0.0f}, {0.7f, -1.3f}, {-1.0f, 1.0f}, {1.0f, 1.0f}, {0.0f, 0.7f},
                                   {2.5f, 0.0f}, {0.0f, 0.0f},  {1.0f, -1.0f}, {0.0f, 1.0f}, {-0.3f, 0.7f}};

inline constexpr Finish finishes[] = {
    {false, Bias::by_row, Activation::none},    {false, Bias::by_row, Activation::relu},
    {true, Bias::none, Activation::none},       {false, Bias::by_row, Activation::gelu},
    {false, Bias::none, Activation::relu},      {true, Bias::by_row, Activation::relu},
    {false, Bias::by_column, Activation::none}, {true, Bias::by_column, Activation::gelu},
    {false, Bias::none, Activation::gelu},      {false, Bias::by_column, Activation::relu},
    {true, Bias::none, Activation::relu}};

/// Their numbers have no common divisor, so that all pairs come up.
class Turns {
 public:
  Case next(const Shape& shape, Op op_a, Op op_b) {
    const std::size_t turn = turn_++;
    const Blend& blend = blends[turn % std::size(blends)];
    Case c;
    c.shape = shape;
    c.op_a = op_a;
    c.op_b = op_b;
    c.alpha = blend.alpha;
    c.beta = blend.beta;
    c.lines = static_cast<Lines>(turn % 3);
    c.shift = turn % 7 < 4 ? 0 : 1;
    c.scalars_by_address = turn % 11 < 4;
    c.seed = static_cast<std::uint32_t>(turn);
    return c;
  }

 private:
  std::size_t turn_ = 0;
};

}  // namespace ladder::test
