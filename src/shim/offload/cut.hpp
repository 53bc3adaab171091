// SPDX-License-Identifier: MIT
// How a product of host matrices is cut for one GPU: panels of op(A) and op(B), of which the device holds some, and
// strips of C.
//
// A panel of A is `panel` rows of op(A), one of B as many columns of op(B), over one piece of k. Tile (i, j) of C is
// panel i of A times panel j of B. The device holds as many panels of a side as that has slots; neighbouring slots are
// neighbours in one matrix, so that panels in them can be multiplied at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "gemm_problem.hpp"
#include "grid_extents.hpp"

namespace ladder::shim {

enum class Side : std::uint8_t { a, b };

/// How many panels a side of m or n is cut in where memory allows: 8 for each taker, so that copies, products and the
/// way back overlap, but none thinner than 768, which would not fill a GPU with tiles, or thicker than 2048, which are
/// what is sent before the first product and fetched after the last.
constexpr std::int64_t panels_of(std::int64_t extent, std::int64_t takers = 1) {
  constexpr std::int64_t wished = 8, thinnest = 768, thickest = 2048;
  const std::int64_t panel = ceil_div(extent, wished * takers);
  return ceil_div(extent, panel < thinnest ? thinnest : panel > thickest ? thickest : panel);
}

inline double bytes_of_matrix(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns) * sizeof(float);
}

/// That a product of host matrices sends to the device when everything is sent once, and fetches.
inline double bytes_up(const GemmProblem& p) {
  const double operands = only_scales_c(p) ? 0.0 : bytes_of_matrix(p.m, p.k) + bytes_of_matrix(p.k, p.n);
  return operands + (p.beta.value != 0.0f ? bytes_of_matrix(p.m, p.n) : 0.0);
}
inline double bytes_down(const GemmProblem& p) { return bytes_of_matrix(p.m, p.n); }

/// Strips of C that the device holds: one computed, one fetched, one between.
inline constexpr int results_held = 3;

struct SideCut {
  std::int64_t extent = 0;  ///< m or n
  std::int64_t panel = 0;   ///< rows of op(A), or columns of op(B), but for the last panel's
  std::int64_t panels = 0;
  int slots = 0;

  std::int64_t begin(std::int64_t index) const { return index * panel; }
  /// Rows or columns of panels first to first + count - 1.
  std::int64_t length(std::int64_t first, std::int64_t count) const {
    const std::int64_t end = (first + count) * panel;
    return (end < extent ? end : extent) - begin(first);
  }
  bool is_resident() const { return slots >= panels; }
};

struct Cut {
  SideCut a, b;
  std::int64_t k = 0;
  std::int64_t piece = 0;   ///< steps of k that a panel holds; its sums are added up on the device, in the order of k
  std::int64_t pieces = 0;  ///< 1 wherever memory allows; 1, of length 0, where k = 0
  std::int64_t strip_floats = 0;  ///< of each strip of C that the device holds
  Side kept = Side::a;            ///< whose panels stay while all of the other's pass by, where not all stay; and whose
                                  ///< panels several GPUs share out

  const SideCut& side(Side of) const { return of == Side::a ? a : b; }
  const SideCut& kept_side() const { return side(kept); }
  const SideCut& passing_side() const { return kept == Side::a ? b : a; }
  std::int64_t piece_length(std::int64_t index) const { return index + 1 < pieces ? piece : k - index * piece; }
};

inline std::int64_t kept_panels(const Cut& cut) { return cut.kept_side().panels; }

/// Rows of a matrix as the device stores it, rounded up so that every column starts on a 128-byte line and a rung's
/// 128-bit path can be taken.
std::int64_t device_ld(std::int64_t rows);

/// The matrix in which a side's slots lie, as stored: its leading dimension, in elements, and its columns.
struct SlotMatrix {
  std::int64_t ld;
  std::int64_t columns;
  bool slots_are_rows;  ///< a slot is a band of rows, not of columns
};
SlotMatrix slot_matrix(const Cut& cut, Side side, Op op);

std::size_t bytes_of_slots(const Cut& cut, Side side, Op op);
std::size_t bytes_of_results(const Cut& cut);

/// `host` with the leading dimensions that its matrices would have on the device if it were not cut, but without their
/// addresses: what a rung is asked about beforehand.
GemmProblem on_device(const GemmProblem& host);

/// The cut of `problem` for at most `budget` bytes of device memory, the same each time. Everything stays on the device
/// if that fits; else the panels of one side stay, as many as fit, and those of the other pass by, whichever way less
/// is sent; thinner panels and at last pieces of k where even few panels do not fit. Nothing where nothing does.
/// `takers`: GPUs that share the product, each of which has that much memory.
std::optional<Cut> cut_for(const GemmProblem& problem, std::size_t budget, int takers = 1);

}  // namespace ladder::shim
