// SPDX-License-Identifier: MIT
#include "offload/cut.hpp"

#include <algorithm>

namespace ladder::shim {

namespace {

constexpr std::int64_t thickest_panel = 2048;
constexpr std::int64_t thinnest_wished = 512;
constexpr std::int64_t floats_of_a_line = 32;
constexpr std::int64_t shortest_piece = 256;
constexpr int slots_passing = 3;  // one sent, one multiplied, one between
constexpr int slots_of_pieces = 2;

std::int64_t round_up(std::int64_t x, std::int64_t multiple) { return ceil_div(x, multiple) * multiple; }

/// With the thickest panels that are asked for.
SideCut side_of(std::int64_t extent, std::int64_t most, std::int64_t takers) {
  const std::int64_t even = round_up(ceil_div(extent, panels_of(extent, takers)), 4 * floats_of_a_line);
  SideCut side;
  side.extent = extent;
  side.panel = std::min({even, most, extent});
  side.panels = ceil_div(extent, side.panel);
  return side;
}

std::int64_t strip_floats(const Cut& cut) {
  const auto floats = [](std::int64_t rows, std::int64_t columns) { return device_ld(rows) * columns; };
  const auto length = [](const SideCut& side, int slots) {
    return std::min(std::int64_t{slots} * side.panel, side.extent);
  };
  return std::max(floats(length(cut.a, cut.a.slots), cut.b.panel), floats(cut.a.panel, length(cut.b, cut.b.slots)));
}

class Cutter {
 public:
  Cutter(const GemmProblem& problem, std::size_t budget, int takers)
      : problem_(problem), budget_(budget), takers_(takers) {}

  std::optional<Cut> best() {
    const std::int64_t k = only_scales_c(problem_) ? 0 : problem_.k;
    for (std::int64_t piece = k;; piece = ceil_div(piece, 2)) {
      if (std::optional<Cut> cut = with_thick_panels(k, piece)) return cut;
      for (std::int64_t most = thinnest_wished / 2; most >= floats_of_a_line; most /= 2) {
        if (std::optional<Cut> cut = with_panels(k, piece, most)) return cut;
      }
      if (piece <= shortest_piece) return std::nullopt;
    }
  }

 private:
  /// Of the panels that are thick enough those that have the least sent; of two such the thicker ones.
  std::optional<Cut> with_thick_panels(std::int64_t k, std::int64_t piece) const {
    std::optional<Cut> best;
    for (std::int64_t most = thickest_panel; most >= thinnest_wished; most /= 2) {
      const std::optional<Cut> cut = with_panels(k, piece, most);
      if (cut && (!best || floats_sent(*cut) < floats_sent(*best))) best = cut;
    }
    return best;
  }

  std::optional<Cut> with_panels(std::int64_t k, std::int64_t piece, std::int64_t most) const {
    Cut cut;
    cut.kept = problem_.n > problem_.m ? Side::b : Side::a;
    cut.a = side_of(problem_.m, most, cut.kept == Side::a ? takers_ : 1);
    cut.b = side_of(problem_.n, most, cut.kept == Side::b ? takers_ : 1);
    cut.k = k;
    cut.piece = piece;
    cut.pieces = k > piece ? ceil_div(k, piece) : 1;
    if (cut.pieces > 1) return if_it_fits(cut, slots_of_pieces, slots_of_pieces);
    if (std::optional<Cut> whole = if_it_fits(cut, cut.a.panels, cut.b.panels)) return whole;
    const std::optional<Cut> with_a = keeping(cut, Side::a);
    const std::optional<Cut> with_b = keeping(cut, Side::b);
    if (!with_a || !with_b) return with_a ? with_a : with_b;
    return floats_sent(*with_a) <= floats_sent(*with_b) ? with_a : with_b;
  }

  /// The kept side's slots by bisection: more of them never take less memory.
  std::optional<Cut> keeping(Cut cut, Side side) const {
    cut.kept = side;
    const SideCut& kept = cut.kept_side();
    const SideCut& passing = cut.passing_side();
    const std::int64_t few = std::min<std::int64_t>(passing.panels, slots_passing);
    const auto with = [&](std::int64_t slots) {
      return side == Side::a ? if_it_fits(cut, slots, few) : if_it_fits(cut, few, slots);
    };
    std::int64_t fits = 0;
    for (std::int64_t above = kept.panels + 1; above - fits > 1;) {
      const std::int64_t middle = fits + (above - fits) / 2;
      (with(middle) ? fits : above) = middle;
    }
    return fits > 0 ? with(fits) : std::nullopt;
  }

  std::optional<Cut> if_it_fits(Cut cut, std::int64_t slots_a, std::int64_t slots_b) const {
    constexpr std::int64_t most_slots = 1 << 20;
    if (slots_a > most_slots || slots_b > most_slots) return std::nullopt;
    cut.a.slots = static_cast<int>(slots_a);
    cut.b.slots = static_cast<int>(slots_b);
    cut.strip_floats = strip_floats(cut);
    const std::size_t bytes = bytes_of_slots(cut, Side::a, problem_.op_a) +
                              bytes_of_slots(cut, Side::b, problem_.op_b) + bytes_of_results(cut);
    if (bytes > budget_) return std::nullopt;
    return cut;
  }

  double floats_sent(const Cut& cut) const {
    const SideCut& kept = cut.kept_side();
    const SideCut& passing = cut.passing_side();
    const std::int64_t rounds = ceil_div(kept.panels, kept.slots);
    return static_cast<double>(kept.extent) + static_cast<double>(passing.extent) * static_cast<double>(rounds);
  }

  const GemmProblem& problem_;
  std::size_t budget_;
  int takers_;
};

}  // namespace

std::int64_t device_ld(std::int64_t rows) { return std::max(round_up(rows, floats_of_a_line), floats_of_a_line); }

SlotMatrix slot_matrix(const Cut& cut, Side side, Op op) {
  const SideCut& of = cut.side(side);
  const std::int64_t across = of.slots * of.panel;
  const bool slots_are_rows = (side == Side::a) == (op == Op::none);
  if (slots_are_rows) return {device_ld(across), cut.piece, true};
  return {device_ld(cut.piece), across, false};
}

std::size_t bytes_of_slots(const Cut& cut, Side side, Op op) {
  if (cut.k == 0) return 0;
  const SlotMatrix matrix = slot_matrix(cut, side, op);
  return static_cast<std::size_t>(matrix.ld) * static_cast<std::size_t>(matrix.columns) * sizeof(float);
}

std::size_t bytes_of_results(const Cut& cut) {
  return std::size_t{results_held} * static_cast<std::size_t>(cut.strip_floats) * sizeof(float);
}

GemmProblem on_device(const GemmProblem& host) {
  GemmProblem there = host;
  there.a = there.b = nullptr;
  there.c = nullptr;
  there.lda = device_ld(host.op_a == Op::none ? host.m : host.k);
  there.ldb = device_ld(host.op_b == Op::none ? host.k : host.n);
  there.ldc = device_ld(host.m);
  return there;
}

std::optional<Cut> cut_for(const GemmProblem& problem, std::size_t budget, int takers) {
  return Cutter(problem, budget, takers).best();
}

}  // namespace ladder::shim
