// SPDX-License-Identifier: MIT
#include "large_matrix.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <thread>
#include <vector>

namespace ladder::test {

namespace {

constexpr std::int64_t gap = 5;  // odd, so that columns begin at every alignment
constexpr std::uint32_t bits_of_gap = 0x7fc0beef;

}  // namespace

std::uint64_t mixed(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9;
  number = (number ^ (number >> 27)) * 0x94d049bb133111eb;
  return number ^ (number >> 31);
}

void in_pieces(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& work) {
  const auto threads = static_cast<std::int64_t>(std::max(1u, std::thread::hardware_concurrency()));
  const std::int64_t piece = (count + threads - 1) / threads;
  std::vector<std::jthread> team;
  for (std::int64_t begin = 0; begin < count; begin += piece)
    team.emplace_back(work, begin, std::min(count, begin + piece));
}

LargeMatrix::LargeMatrix(std::uint64_t seed, std::int64_t rows, std::int64_t columns)
    : seed_(seed),
      rows_(rows),
      columns_(columns),
      ld_(rows + gap),
      data_(new float[static_cast<std::size_t>(ld_ * columns)]) {}

float LargeMatrix::filled(std::int64_t i, std::int64_t j) const {
  if (values_ == Values::blank) return std::numeric_limits<float>::quiet_NaN();
  const std::uint64_t random = mixed(seed_ ^ static_cast<std::uint64_t>(i + j * rows_));
  if (values_ == Values::integers)
    return static_cast<float>(static_cast<int>(random % (2 * largest_integer + 1)) - largest_integer);
  constexpr int bits_of_fraction = 24;
  return static_cast<float>(static_cast<std::int32_t>(random >> (64 - bits_of_fraction))) * 0x1p-23f - 1.0f;
}

void LargeMatrix::fill(Values values) {
  values_ = values;
  in_pieces(columns_, [this](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      float* column = data() + j * ld_;
      for (std::int64_t i = 0; i < rows_; ++i) column[i] = filled(i, j);
      std::fill(column + rows_, column + ld_, std::bit_cast<float>(bits_of_gap));
    }
  });
}

bool LargeMatrix::intact(bool elements) const {
  std::vector<char> changed(static_cast<std::size_t>(columns_), 0);
  in_pieces(columns_, [this, elements, &changed](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      bool same = true;
      for (std::int64_t i = 0; elements && i < rows_; ++i)
        same = same && std::bit_cast<std::uint32_t>(at(i, j)) == std::bit_cast<std::uint32_t>(filled(i, j));
      for (std::int64_t i = rows_; i < ld_; ++i) same = same && std::bit_cast<std::uint32_t>(at(i, j)) == bits_of_gap;
      changed[static_cast<std::size_t>(j)] = same ? 0 : 1;
    }
  });
  return std::count(changed.begin(), changed.end(), 0) == columns_;
}

}  // namespace ladder::test
