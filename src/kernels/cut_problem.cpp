// SPDX-License-Identifier: MIT
#include "cut_problem.hpp"

#include <algorithm>

#include "grid_extents.hpp"

namespace ladder {

namespace {

constexpr std::int64_t grain = 256;  // the side of the largest tile: no piece has more edges than it must

/// Half of an extent, in whole grains.
std::int64_t half_of(std::int64_t extent) { return ceil_div(ceil_div(extent, 2), grain) * grain; }

template <class Float>
Float* moved(Float* address, std::int64_t floats) {
  return address == nullptr ? nullptr : address + floats;
}

/// The problem that begins with a later product of the batch.
void move_along_batch(GemmProblem& p, std::int64_t products) {
  if (p.c_array != nullptr) {
    p.a_array = p.a_array == nullptr ? nullptr : p.a_array + products;
    p.b_array = p.b_array == nullptr ? nullptr : p.b_array + products;
    p.c_array += products;
  } else {
    p.a = moved(p.a, products * p.stride_a);
    p.b = moved(p.b, products * p.stride_b);
    p.c = moved(p.c, products * p.stride_c);
  }
  p.old_c = moved(p.old_c, products * p.stride_old_c);
  p.bias = moved(p.bias, products * p.bias_stride);
}

/// The problem whose C begins at a later row and column.
void move_along_c(GemmProblem& p, std::int64_t rows, std::int64_t columns) {
  if (p.c_array == nullptr) {
    p.a = moved(p.a, p.op_a == Op::none ? rows : rows * p.lda);
    p.b = moved(p.b, p.op_b == Op::none ? columns * p.ldb : columns);
    p.c = moved(p.c, rows + columns * p.ldc);
  }
  p.old_c = moved(p.old_c, rows + columns * p.ld_old_c);
  p.bias = moved(p.bias, p.bias_by_column ? columns : rows);
}

}  // namespace

bool halve(PieceExtents& extents, const GemmProblem& problem) {
  if (extents.batch > 1) {
    extents.batch = ceil_div(extents.batch, 2);
    return true;
  }
  std::int64_t& longer = extents.m >= extents.n ? extents.m : extents.n;
  if (problem.c_array != nullptr || longer <= grain) return false;
  longer = half_of(longer);
  return true;
}

GemmProblem piece_at(const GemmProblem& problem, const PieceExtents& first, const PieceExtents& extents) {
  GemmProblem piece = problem;
  piece.batch = std::min(extents.batch, problem.batch - first.batch);
  piece.m = std::min(extents.m, problem.m - first.m);
  piece.n = std::min(extents.n, problem.n - first.n);
  move_along_batch(piece, first.batch);
  move_along_c(piece, first.m, first.n);
  return piece;
}

}  // namespace ladder
