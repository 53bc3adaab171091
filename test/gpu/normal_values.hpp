// SPDX-License-Identifier: MIT
// Random numbers for the programs that run on a GPU.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

/// `count` of them, normally distributed; the same ones for the same seed.
inline std::vector<float> normal(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> distribution;
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(generator); });
  return values;
}
