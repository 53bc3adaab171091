// SPDX-License-Identifier: MIT
// A column-major matrix as a hostile caller would lay it out: any leading dimension, any alignment, and
// canaries everywhere that is not an element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace ladder::test {

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// rows x columns floats, `ld` apart, that start `shift` floats after a 16-byte boundary. The guard bands
/// before and after, and the slack between rows and ld, hold a NaN of its own: a value computed from it
/// shows, and so does a write to it. There is no slack after the last column.
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t columns, std::int64_t ld, int shift)
      : rows_(rows), columns_(columns), ld_(ld), storage_(storage_size(shift), float_of(canary)) {
    static_assert(alignof(std::max_align_t) >= 4 * sizeof(float), "the allocator aligns to 16 bytes");
    first_ = guard + static_cast<std::size_t>(shift);
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  std::int64_t ld() const { return ld_; }
  float* data() { return storage_.data() + first_; }
  const float* data() const { return storage_.data() + first_; }
  float& at(std::int64_t row, std::int64_t column) { return data()[row + column * ld_]; }
  float at(std::int64_t row, std::int64_t column) const { return data()[row + column * ld_]; }

  void fill(float value) {
    for (std::int64_t j = 0; j < columns_; ++j) {
      for (std::int64_t i = 0; i < rows_; ++i) at(i, j) = value;
    }
  }

  /// Uniform in [-1, 1), the same for the same seed.
  void fill_randomly(std::uint32_t seed) {
    std::mt19937 generator(seed);
    for (std::int64_t j = 0; j < columns_; ++j) {
      for (std::int64_t i = 0; i < rows_; ++i) {
        at(i, j) = static_cast<float>(static_cast<std::int32_t>(generator())) * 0x1p-31f;
      }
    }
  }

  /// Uniform among the integers from -2 to 2: sums of a few million of their products are exact in FP32, in any order.
  void fill_with_integers(std::uint32_t seed) {
    constexpr std::uint32_t values = 5;
    constexpr int largest = 2;
    std::mt19937 generator(seed);
    for (std::int64_t j = 0; j < columns_; ++j) {
      for (std::int64_t i = 0; i < rows_; ++i) {
        at(i, j) = static_cast<float>(static_cast<int>(generator() % values) - largest);
      }
    }
  }

  /// True where nobody wrote to a guard band or to the slack.
  bool canaries_live() const {
    const auto first = static_cast<std::int64_t>(first_);
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(storage_.size()); ++at) {
      const std::int64_t offset = at - first;
      const bool is_element = offset >= 0 && offset < extent() && offset % ld_ < rows_;
      if (!is_element && bits_of(storage_[static_cast<std::size_t>(at)]) != canary) return false;
    }
    return true;
  }

  bool same_bits(const Matrix& other) const {
    return storage_.size() == other.storage_.size() && first_ == other.first_ &&
           std::memcmp(storage_.data(), other.storage_.data(), storage_.size() * sizeof(float)) == 0;
  }

  /// Makes AddressSanitizer report any access to a guard band while this object lives.
  class Armed {
   public:
    explicit Armed(const Matrix& matrix) : matrix_(matrix) {
#if defined(__SANITIZE_ADDRESS__)
      const float* begin = matrix_.storage_.data();
      const float* end = matrix_.data() + matrix_.extent();
      ASAN_POISON_MEMORY_REGION(begin, matrix_.first_ * sizeof(float));
      ASAN_POISON_MEMORY_REGION(end, static_cast<std::size_t>(begin + matrix_.storage_.size() - end) * sizeof(float));
#endif
    }
    Armed(const Armed&) = delete;
    Armed& operator=(const Armed&) = delete;
    ~Armed() {
#if defined(__SANITIZE_ADDRESS__)
      ASAN_UNPOISON_MEMORY_REGION(matrix_.storage_.data(), matrix_.storage_.size() * sizeof(float));
#endif
    }

   private:
    [[maybe_unused]] const Matrix& matrix_;
  };

 private:
  static constexpr std::uint32_t canary = 0x7fc0beefu;
  static constexpr std::size_t guard = 32;

  std::int64_t extent() const { return rows_ == 0 || columns_ == 0 ? 0 : (columns_ - 1) * ld_ + rows_; }
  std::size_t storage_size(int shift) const { return static_cast<std::size_t>(extent() + shift) + 2 * guard; }

  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t ld_;
  std::vector<float> storage_;
  std::size_t first_;
};

}  // namespace ladder::test
