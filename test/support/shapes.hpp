// SPDX-License-Identifier: MIT
// Extents that a rung is likely to get wrong, derived from its own tile.
#pragma once

#include <cstdint>
#include <vector>

#include "rung.hpp"

namespace ladder::test {

struct Shape {
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
};

/// Which part of a set of cases to run: everything; what a debugger has patience for; or one tile, for
/// OS threads under ThreadSanitizer, which look for races and not for wrong numbers.
enum class Effort : std::uint8_t { full, small, tiny };

/// K extents at which the mainloop takes another turn: around an empty, a full and one slab more than the
/// pipeline holds; odd and even numbers of slabs; a slab that is cut.
inline std::vector<std::int64_t> k_extents(const TileExtents& tile) {
  const std::int64_t bk = tile.bk;
  const std::int64_t one_more = bk * (tile.stages + 1);
  return {1, bk - 1, bk, bk + 1, one_more - 1, one_more, one_more + 1, one_more + bk, one_more + 2 * bk + 1};
}

inline std::vector<Shape> shapes_of(const TileExtents& tile, Effort effort) {
  const std::int64_t bm = tile.bm;
  const std::int64_t bn = tile.bn;
  const std::int64_t k = std::int64_t{tile.bk} * (tile.stages + 1);
  std::vector<Shape> shapes;
  const auto add = [&shapes](std::int64_t m, std::int64_t n, std::int64_t depth) {
    if (depth >= 0 && m >= 0 && n >= 0) shapes.push_back({m, n, depth});
  };
  // One tile, in which every thread has work, through more slabs than the pipeline holds
  add(bm, bn, k + 1);
  if (effort == Effort::tiny) return shapes;
  // A tile that is cut both ways; the smallest extents; nothing to multiply
  add(bm + 1, bn - 1, k - 1);
  add(1, 1, 1);
  add(0, 3, 2);
  add(3, 0, 2);
  add(2, 3, 0);
  add(37, 61, 29);  // primes
  for (const std::int64_t depth : k_extents(tile)) add(5, 7, depth);
  if (effort == Effort::small) return shapes;
  // Every edge of the tile against every other, at every depth
  for (const std::int64_t m : {std::int64_t{1}, bm - 1, bm, bm + 1, 2 * bm}) {
    for (const std::int64_t n : {std::int64_t{1}, bn - 1, bn, bn + 1, 2 * bn}) {
      for (const std::int64_t depth : k_extents(tile)) add(m, n, depth);
    }
  }
  add(2 * bm, 2 * bn, 2 * k);  // whole tiles only
  add(3 * bm + 5, 2, 17);      // tall
  add(3, 3 * bn + 7, 19);      // flat
  add(7, 5, 997);              // deep
  return shapes;
}

}  // namespace ladder::test
