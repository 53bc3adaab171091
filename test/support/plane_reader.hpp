// SPDX-License-Identifier: MIT
// Operands as planes in memory of their own, and what stands there: read with the compiler's narrow numbers, not with
// the kernels' own.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "gemm_problem.hpp"
#include "plane_plan.hpp"

namespace ladder::test {

/// Memory for the planes of a problem: exactly as much as it takes, every byte of it `untouched`.
class PlaneBuffer {
 public:
  static constexpr unsigned char untouched = 0xab;

  PlaneBuffer(const GemmProblem& problem, PlaneFormat format)
      : format_(format),
        bytes_(plane_bytes(problem, format)),
        memory_(static_cast<unsigned char*>(std::aligned_alloc(plane_alignment, bytes_))) {
    std::memset(memory_.get(), untouched, bytes_);
    operands_ = lay_out(problem, format, {memory_.get(), &facts_});
  }

  const SplitOperands& operands() const { return operands_; }
  RangeFacts& facts() { return facts_; }

  /// One number of a plane.
  double plane(const PlaneImage& image, std::int64_t product, int plane, std::int64_t row, std::int64_t k) const {
    const unsigned char* number = place(image, product, plane, row, k);
    if (format_ == PlaneFormat::tf32) return number_at<float>(number);
    if (format_ == PlaneFormat::fp16x2) return static_cast<double>(number_at<_Float16>(number));
    const std::uint32_t upper = number_at<std::uint16_t>(number);
    return std::bit_cast<float>(upper << 16);
  }

  /// Of all planes together.
  double sum(const PlaneImage& image, std::int64_t product, std::int64_t row, std::int64_t k) const {
    double sum = 0;
    for (int i = plane_layout(format_).planes - 1; i >= 0; --i) sum += plane(image, product, i, row, k);
    return sum;
  }

  float scale(const PlaneImage& image, std::int64_t product, std::int64_t row, std::int64_t k) const {
    return image.scales[product * image.product_scales + k / scaled_k * image.rows() + row];
  }

  /// True where nobody has written to memory that belongs to no image.
  bool is_untouched_beside(std::int64_t products_of_a, std::int64_t products_of_b, std::int64_t k) const {
    const unsigned char* end_of_a = end_of_cells(operands_.a, products_of_a);
    const unsigned char* end_of_b = end_of_cells(operands_.b, products_of_b);
    const unsigned char* end = memory_.get() + bytes_;
    if (format_ != PlaneFormat::fp16x2) return is_untouched(end_of_a, operands_.b.cells) && is_untouched(end_of_b, end);
    return is_untouched(end_of_a, bytes_of(operands_.a.scales)) &&
           is_untouched(end_of_scales(operands_.a, products_of_a, k), operands_.b.cells) &&
           is_untouched(end_of_b, bytes_of(operands_.b.scales)) &&
           is_untouched(end_of_scales(operands_.b, products_of_b, k), end);
  }

  bool is_untouched() const { return is_untouched(memory_.get(), memory_.get() + bytes_); }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };

  template <class Number>
  static Number number_at(const unsigned char* bytes) {
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    return number;
  }

  static const unsigned char* bytes_of(const float* scales) { return reinterpret_cast<const unsigned char*>(scales); }

  static bool is_untouched(const unsigned char* begin, const unsigned char* end) {
    if (begin > end) return false;
    while (begin < end && *begin == untouched) ++begin;
    return begin == end;
  }

  const unsigned char* end_of_cells(const PlaneImage& image, std::int64_t products) const {
    return image.cells + products * std::int64_t{image.row_cells} * image.slabs * plane_layout(format_).cell_bytes;
  }

  static const unsigned char* end_of_scales(const PlaneImage& image, std::int64_t products, std::int64_t k) {
    return bytes_of(image.scales + products * image.rows() * ((k + scaled_k - 1) / scaled_k));
  }

  const unsigned char* place(const PlaneImage& image, std::int64_t product, int plane, std::int64_t row,
                             std::int64_t k) const {
    const PlaneLayout layout = plane_layout(format_);
    const std::int64_t cell = k / slab_k * image.row_cells + row / rows_of_cell;
    return image.cells + product * image.product_bytes + cell * layout.cell_bytes +
           place_in_cell(layout, plane, static_cast<int>(row % rows_of_cell), static_cast<int>(k % slab_k));
  }

  PlaneFormat format_;
  std::size_t bytes_;
  std::unique_ptr<unsigned char, Free> memory_;
  RangeFacts facts_{};
  SplitOperands operands_;
};

}  // namespace ladder::test
