// SPDX-License-Identifier: MIT
// The grid of a launch: tiles along x, the products of a batch along y and z.
#pragma once

#include <cstdint>

namespace ladder {

constexpr std::int64_t ceil_div(std::int64_t value, std::int64_t divisor) { return (value + divisor - 1) / divisor; }

struct GridExtents {
  std::int64_t x;
  std::int64_t y;
  std::int64_t z;

  std::int64_t blocks() const { return x * y * z; }
};

inline constexpr std::int64_t largest_grid_x = 2147483647;
inline constexpr std::int64_t largest_grid_yz = 65535;

/// One layer of `tiles` blocks for each product. Where the batch is above 65535 a few layers may be left over,
/// whose blocks have nothing to do. At least one product.
inline GridExtents grid_extents(std::int64_t tiles, std::int64_t batch) {
  const std::int64_t z = ceil_div(batch, largest_grid_yz);
  return {tiles, ceil_div(batch, z), z};
}

inline bool is_launchable(const GridExtents& grid) { return grid.x <= largest_grid_x && grid.z <= largest_grid_yz; }

}  // namespace ladder
