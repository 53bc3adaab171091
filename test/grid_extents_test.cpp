// SPDX-License-Identifier: MIT
// The grid of a batch: a layer for every product, up to 65535 * 65535 of them.
#include "grid_extents.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

namespace ladder {

TEST_CASE("every product has its layer of blocks, and few layers are too many") {
  constexpr std::int64_t limit = largest_grid_yz, most = limit * limit;
  constexpr std::int64_t tiles = 7;
  for (const std::int64_t around : {std::int64_t{2}, limit, 2 * limit, std::int64_t{1} << 31, most / 2, most - 1}) {
    for (std::int64_t batch = around - 1; batch <= around + 1; ++batch) {
      CAPTURE(batch);
      const GridExtents grid = grid_extents(tiles, batch);
      CHECK(is_launchable(grid));
      CHECK(grid.x == tiles);
      CHECK(grid.y <= limit);
      CHECK(grid.y * grid.z >= batch);
      CHECK(grid.y * grid.z - batch < grid.z);
    }
  }
  CHECK_FALSE(is_launchable(grid_extents(tiles, most + 1)));
}

TEST_CASE("a batch that fits one row of the grid leaves no layer over") {
  for (const std::int64_t batch : {std::int64_t{1}, std::int64_t{3}, largest_grid_yz}) {
    const GridExtents grid = grid_extents(1, batch);
    CHECK(grid.y == batch);
    CHECK(grid.z == 1);
  }
}

}  // namespace ladder
