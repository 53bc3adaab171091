// SPDX-License-Identifier: MIT
// Problems for which somebody made a configuration: what the edges of one tile do not bring up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "batch_case.hpp"
#include "turns.hpp"

namespace ladder::test {

/// Thin in one direction, with a k that is worth dividing; a k of few slabs or less than one, with a larger C; squares
/// around powers of two; a small C with a k so deep that its parts are added up in two levels; ragged.
inline std::vector<Shape> shapes_for_configs(Effort effort) {
  if (effort == Effort::tiny) return {{65, 33, 515}, {70, 5, 9}};
  if (effort == Effort::small) return {{1, 130, 515}, {131, 3, 259}, {65, 33, 1027}, {70, 50, 5}};
  std::vector<Shape> shapes;
  for (const std::int64_t thin : {1, 2, 3, 4, 5, 8, 13, 16}) {
    shapes.push_back({thin, 133, 517});
    shapes.push_back({260, thin, 516});
  }
  shapes.insert(shapes.end(), {{1, 1000, 300}, {1000, 1, 301}, {1, 64, 4099}, {130, 2, 4100}, {2, 2, 8195}});
  for (const std::int64_t shallow : {1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64}) {
    shapes.push_back({150, 141, shallow});
  }
  shapes.insert(shapes.end(), {{520, 516, 8}, {1030, 260, 32}, {10007, 10, 9}, {11, 5003, 13}});
  for (const std::int64_t size : {64, 65, 96, 100, 127, 128, 129, 192, 193, 256, 257}) {
    shapes.push_back({size, size, size});
  }
  shapes.insert(shapes.end(),
                {{1, 1, 4099}, {8, 8, 20011}, {33, 17, 20011}, {64, 64, 8192}, {64, 64, 4099}, {72, 136, 2053}});
  shapes.insert(shapes.end(), {{131, 77, 257}, {257, 131, 77}, {37, 61, 1009}, {311, 29, 401}});
  return shapes;
}

/// Each shape with random operands and with exact ones, all pairs of ops in turn.
inline std::vector<Case> cases_for_configs(Effort effort) {
  constexpr struct {
    Op a, b;
  } ops[] = {{Op::none, Op::none},           {Op::transpose, Op::none}, {Op::none, Op::transpose},
             {Op::transpose, Op::transpose}, {Op::none, Op::transpose}, {Op::transpose, Op::transpose},
             {Op::none, Op::none},           {Op::transpose, Op::none}};
  std::vector<Case> cases;
  Turns turns;
  for (const Shape& shape : shapes_for_configs(effort)) {
    for (const bool exact : {false, true}) {
      const auto& pair = ops[cases.size() % std::size(ops)];
      Case c = turns.next(shape, pair.a, pair.b);
      if (c.alpha == 0.0f) c.alpha = 1.5f;
      c.exact = exact;
      if (cases.size() % 3 == 2) c.finish = finishes[cases.size() % std::size(finishes)];
      cases.push_back(c);
    }
  }
  return cases;
}

/// Many small products, and a few larger ones: matrices that touch, that keep 128-bit accesses, and that do not.
inline std::vector<BatchCase> batches_for_configs(Effort effort) {
  struct Size {
    Shape shape;
    std::int64_t batch;
  };
  if (effort == Effort::tiny) return {{.shape = {12, 12, 12}}};
  std::vector<Size> sizes = {{{12, 12, 12}, 37}, {{5, 7, 9}, 21}};
  if (effort == Effort::full) {
    sizes.insert(sizes.end(), {{{1, 1, 1}, 300},
                               {{4, 4, 4}, 129},
                               {{8, 8, 8}, 133},
                               {{16, 16, 16}, 70},
                               {{24, 20, 40}, 33},
                               {{32, 32, 32}, 19},
                               {{33, 31, 35}, 9},
                               {{64, 64, 64}, 6},
                               {{96, 72, 48}, 5},
                               {{128, 128, 64}, 4},
                               {{3, 5, 2051}, 7},
                               {{1, 200, 300}, 5}});
  }
  std::vector<BatchCase> cases;
  for (const Size& size : sizes) {
    for (const std::int64_t apart : {0, 4, 1}) {
      const bool odd = cases.size() % 2 == 1;
      cases.push_back({.shape = size.shape,
                       .op_a = cases.size() % 4 < 2 ? Op::none : Op::transpose,
                       .op_b = odd ? Op::transpose : Op::none,
                       .batch = size.batch,
                       .strides = {odd ? 1 : -1, cases.size() % 5 == 4 ? 0 : 1, 1},
                       .apart = apart,
                       .in_arrays = apart == (cases.size() / 3 % 2 == 0 ? 1 : 0),
                       .finish = odd ? finishes[cases.size() / 2 % std::size(finishes)] : Finish{},
                       .shares_bias = cases.size() % 4 == 1});
    }
  }
  return cases;
}

}  // namespace ladder::test
