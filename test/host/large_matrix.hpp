// SPDX-License-Identifier: MIT
// A column-major matrix of many gigabytes, whose elements can be computed again instead of being kept twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace ladder::test {

/// What a matrix is filled with: integers up to `largest_integer`, numbers in [-1, 1), or NaN.
enum class Values : std::uint8_t { integers, uniform, blank };

constexpr int largest_integer = 4;

/// Mixes the bits of a number so that each depends on all (SplitMix64).
std::uint64_t mixed(std::uint64_t number);

/// Calls work(begin, end) for pieces of 0 ... count - 1, on all cores at once.
void in_pieces(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& work);

/// Between its columns lies a gap, which must stay as it is.
class LargeMatrix {
 public:
  /// Not filled yet. Throws std::bad_alloc.
  LargeMatrix(std::uint64_t seed, std::int64_t rows, std::int64_t columns);

  void fill(Values values);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t ld() const { return ld_; }
  float* data() { return data_.get(); }
  float at(std::int64_t i, std::int64_t j) const { return data_[static_cast<std::size_t>(i + j * ld_)]; }

  /// What fill() wrote there.
  float filled(std::int64_t i, std::int64_t j) const;

  /// True while the gaps, and with `elements` those too, are what fill() wrote, bit for bit.
  bool intact(bool elements) const;

 private:
  std::uint64_t seed_;
  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t ld_;
  Values values_ = Values::blank;
  std::unique_ptr<float[]> data_;
};

}  // namespace ladder::test
