// SPDX-License-Identifier: MIT
#include "plane_plan.hpp"

#include <limits>

#include "grid_extents.hpp"

namespace ladder {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t times(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? unlimited : product;
}

std::size_t plus(std::size_t a, std::size_t b) { return a > unlimited - b ? unlimited : a + b; }

std::size_t aligned(std::size_t bytes) { return plus(bytes, plane_alignment - 1) / plane_alignment * plane_alignment; }

/// How the rows and the k of one operand become an image.
struct ImageSize {
  std::size_t row_cells;
  std::size_t slabs;
  std::size_t products;        ///< that have an image of their own
  std::size_t product_bytes;   ///< cells of one
  std::size_t product_scales;  ///< floats
  std::size_t cell_bytes;      ///< of all products, and what a tile reads beyond them
  std::size_t scale_bytes;

  std::size_t bytes() const { return plus(cell_bytes, scale_bytes); }
};

ImageSize image_size(PlaneFormat format, std::int64_t rows, std::int64_t k, std::int64_t products) {
  constexpr int tallest_tile_cells = tallest_tile / rows_of_cell;
  const auto cell_bytes = static_cast<std::size_t>(plane_layout(format).cell_bytes);
  ImageSize size = {};
  size.row_cells = static_cast<std::size_t>(ceil_div(rows, rows_of_cell));
  size.slabs = static_cast<std::size_t>(ceil_div(k, slab_k));
  size.products = static_cast<std::size_t>(products);
  size.product_bytes = times(times(size.row_cells, size.slabs), cell_bytes);
  size.cell_bytes = aligned(plus(times(size.product_bytes, size.products), tallest_tile_cells * cell_bytes));
  if (format == PlaneFormat::fp16x2) {
    const auto chunks = static_cast<std::size_t>(ceil_div(k, scaled_k));
    size.product_scales = times(times(size.row_cells, rows_of_cell), chunks);
    const std::size_t floats = plus(times(size.product_scales, size.products), tallest_tile);
    size.scale_bytes = aligned(times(floats, sizeof(float)));
  }
  return size;
}

/// An operand that lies at the same place for all products is written once.
std::int64_t images(const GemmProblem& p, std::int64_t stride) {
  return p.c_array == nullptr && stride == 0 ? 1 : p.batch;
}

ImageSize image_of_a(const GemmProblem& p, PlaneFormat format) {
  return image_size(format, p.m, p.k, images(p, p.stride_a));
}

ImageSize image_of_b(const GemmProblem& p, PlaneFormat format) {
  return image_size(format, p.n, p.k, images(p, p.stride_b));
}

PlaneImage image_at(const ImageSize& size, unsigned char* memory) {
  PlaneImage image;
  image.cells = memory;
  image.row_cells = static_cast<std::uint32_t>(size.row_cells);
  image.slabs = static_cast<std::uint32_t>(size.slabs);
  if (size.products > 1) image.product_bytes = static_cast<std::int64_t>(size.product_bytes);
  if (size.scale_bytes > 0) {
    image.scales = reinterpret_cast<float*>(memory + size.cell_bytes);
    if (size.products > 1) image.product_scales = static_cast<std::int64_t>(size.product_scales);
  }
  return image;
}

}  // namespace

std::size_t plane_bytes(const GemmProblem& problem, PlaneFormat format) {
  return plus(image_of_a(problem, format).bytes(), image_of_b(problem, format).bytes());
}

SplitOperands lay_out(const GemmProblem& problem, PlaneFormat format, const PlaneMemory& memory) {
  const ImageSize a = image_of_a(problem, format);
  SplitOperands operands;
  operands.a = image_at(a, memory.bytes);
  operands.b = image_at(image_of_b(problem, format), memory.bytes + a.bytes());
  if (format != PlaneFormat::tf32) operands.facts = memory.facts;
  return operands;
}

std::size_t image_bytes(PlaneFormat format, std::int64_t rows, std::int64_t k) {
  return image_size(format, rows, k, 1).bytes();
}

PlaneImage image_in(PlaneFormat format, std::int64_t rows, std::int64_t k, unsigned char* memory) {
  return image_at(image_size(format, rows, k, 1), memory);
}

}  // namespace ladder
