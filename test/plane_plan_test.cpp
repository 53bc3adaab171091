// SPDX-License-Identifier: MIT
// Where the planes of a problem's operands lie, and that they fit into what was asked for.
#include "plane_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ladder::test {

namespace {

constexpr PlaneFormat formats[] = {PlaneFormat::tf32, PlaneFormat::bf16x3, PlaneFormat::fp16x2};

GemmProblem problem_of(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  GemmProblem p;
  p.m = m, p.n = n, p.k = k, p.batch = batch;
  p.stride_a = m * k, p.stride_b = k * n, p.stride_c = m * n;
  return p;
}

/// Memory in which nothing lies yet.
PlaneMemory memory_at(std::uintptr_t address) {
  static RangeFacts facts;
  return {reinterpret_cast<unsigned char*>(address), &facts};
}

using Span = std::pair<std::uintptr_t, std::uintptr_t>;

Span span_of(const void* first, std::int64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  return {begin, begin + static_cast<std::uintptr_t>(bytes)};
}

/// What the kernels may touch of an image, up to the end of the tallest tile that begins in the last slab's last cell.
void add_spans(std::vector<Span>& spans, const PlaneImage& image, PlaneFormat format, std::int64_t products) {
  const std::int64_t cell = plane_layout(format).cell_bytes;
  const std::int64_t beyond = tallest_tile / rows_of_cell - 1;
  const std::int64_t cells = std::int64_t{image.row_cells} * image.slabs;
  spans.push_back(span_of(image.cells, (products - 1) * image.product_bytes + (cells + beyond) * cell));
  if (image.scales == nullptr) return;
  const std::int64_t chunks = (image.slabs + 1) / 2;
  const std::int64_t scales = image.rows() * chunks + beyond * rows_of_cell;
  spans.push_back(
      span_of(image.scales, ((products - 1) * image.product_scales + scales) * std::int64_t{sizeof(float)}));
}

}  // namespace

TEST_CASE("images lie apart from each other, aligned, inside the bytes that were asked for") {
  constexpr std::uintptr_t origin = 1 << 20;
  for (const PlaneFormat format : formats) {
    for (const GemmProblem& p : {problem_of(1, 1, 1), problem_of(257, 8, 33), problem_of(9, 511, 64),
                                 problem_of(128, 128, 1000, 3), problem_of(7, 300, 65, 5)}) {
      CAPTURE(p.m);
      CAPTURE(p.n);
      CAPTURE(p.k);
      const SplitOperands operands = lay_out(p, format, memory_at(origin));
      std::vector<Span> spans;
      add_spans(spans, operands.a, format, p.batch);
      add_spans(spans, operands.b, format, p.batch);
      std::sort(spans.begin(), spans.end());
      CHECK(spans.front().first == origin);
      CHECK(spans.back().second <= origin + plane_bytes(p, format));
      for (std::size_t i = 1; i < spans.size(); ++i) CHECK(spans[i - 1].second <= spans[i].first);
      for (const PlaneImage& image : {operands.a, operands.b}) {
        CHECK(reinterpret_cast<std::uintptr_t>(image.cells) % plane_alignment == 0);
        CHECK(reinterpret_cast<std::uintptr_t>(image.scales) % 16 == 0);
        CHECK(image.product_scales % 4 == 0);
        CHECK((image.scales != nullptr) == (format == PlaneFormat::fp16x2));
      }
      CHECK((operands.facts != nullptr) == (format != PlaneFormat::tf32));
    }
  }
}

TEST_CASE("an image has a cell for every 8 rows and 32 k, and a scale for every row and 64 k") {
  const SplitOperands operands = lay_out(problem_of(17, 8, 65, 2), PlaneFormat::fp16x2, memory_at(1 << 20));
  CHECK(operands.a.row_cells == 3);
  CHECK(operands.b.row_cells == 1);
  CHECK(operands.a.slabs == 3);
  CHECK(operands.b.slabs == 3);
  CHECK(operands.a.product_bytes == 3 * 3 * 1024);
  CHECK(operands.b.product_bytes == 3 * 1024);
  CHECK(operands.a.product_scales == 2 * 24);
  CHECK(operands.b.product_scales == 2 * 8);
}

TEST_CASE("operands that a batch shares are laid out once, unless their addresses lie in an array") {
  GemmProblem p = problem_of(64, 64, 64, 10);
  const std::size_t apart = plane_bytes(p, PlaneFormat::bf16x3);
  p.stride_b = 0;
  const std::size_t shared = plane_bytes(p, PlaneFormat::bf16x3);
  const SplitOperands operands = lay_out(p, PlaneFormat::bf16x3, memory_at(1 << 20));
  CHECK(operands.b.product_bytes == 0);
  CHECK(operands.a.product_bytes == 64 / 8 * 2 * 1536);
  CHECK(apart - shared == 9 * 64 / 8 * 2 * 1536);
  float* c = nullptr;
  p.c_array = &c;
  CHECK(plane_bytes(p, PlaneFormat::bf16x3) == apart);
}

TEST_CASE("a problem of more bytes than a number can say takes the largest number") {
  constexpr std::int64_t huge = std::int64_t{1} << 31;
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  for (const PlaneFormat format : formats) CHECK(plane_bytes(problem_of(huge, huge, huge, huge), format) == most);
  CHECK(plane_bytes(problem_of(1 << 20, 1 << 20, 1 << 20), PlaneFormat::bf16x3) < most);
}

}  // namespace ladder::test
