// SPDX-License-Identifier: MIT
// The order in which a GPU is sent panels and multiplies them.
#pragma once

#include <array>
#include <cstdint>

#include "offload/cut.hpp"

namespace ladder::shim {

/// Panels first to first + count - 1, in as many neighbouring slots from `slot` on.
struct PanelRun {
  std::int64_t first = 0;
  std::int64_t count = 0;
  int slot = 0;
};

/// A panel that must be sent before the step's product, and its slot, which another panel may have held.
struct PanelLoad {
  Side side = Side::a;
  std::int64_t panel = 0;
  int slot = 0;
};

/// One product: a strip of C (one panel by several) or a piece of k of it. `loads` come first.
struct Step {
  std::array<PanelLoad, 2> loads{};
  int load_count = 0;
  PanelRun a, b;
  std::int64_t piece = 0;

  void load(PanelLoad panel) { loads[static_cast<std::size_t>(load_count++)] = panel; }
};

/// Hands out the steps of a cut; every tile of C is in exactly one step for each piece of k.
///
/// From the first panel of each side on, each panel sent is multiplied with all of the other side's that are there, and
/// the next one sent is of the side that gives the most products for its bytes: products catch up with the bus soon.
/// Where the device does not hold all, a round follows for every group of kept panels: all of the other side's pass by,
/// the next round in the opposite direction, from those that are there still.
class Schedule {
 public:
  explicit Schedule(const Cut& cut);

  /// False when there are no more.
  bool next(Step& step);

 private:
  bool next_piece(Step& step);
  void begin_round();
  void add_kept(Step& step);
  void add_passing(Step& step);
  bool kept_comes_next() const;
  PanelRun& run_of(Step& step, Side side) const { return side == Side::a ? step.a : step.b; }
  const SideCut& kept() const { return cut_.kept == Side::a ? cut_.a : cut_.b; }
  const SideCut& passing() const { return cut_.kept == Side::a ? cut_.b : cut_.a; }
  Side passing_side() const { return cut_.kept == Side::a ? Side::b : Side::a; }
  int passing_slot(std::int64_t panel) const { return static_cast<int>(panel % passing().slots); }

  const Cut cut_;
  // Of the round: the kept panels there are and those that belong to it, the passing ones that are there (a window of
  // all), and how many have not passed yet.
  std::int64_t kept_begin_ = 0;
  std::int64_t kept_there_ = 0;
  std::int64_t kept_of_round_ = 0;
  std::int64_t window_begin_ = 0;
  std::int64_t window_end_ = 0;
  std::int64_t to_pass_ = 0;
  bool forward_ = true;
  // A product with all of the window whose slots go over the end of the ring: its second part.
  bool has_second_part_ = false;
  Step second_part_;
  // Where k is cut.
  std::int64_t tile_ = 0;
  std::int64_t piece_ = 0;
  std::int64_t pieces_sent_ = 0;
};

}  // namespace ladder::shim
