// SPDX-License-Identifier: MIT
// The order in which a GPU is sent panels and multiplies them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "offload/cut.hpp"
#include "offload/panel_claims.hpp"

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

/// Hands out one taker's steps of a cut; among all takers every tile of C is in exactly one step for each piece of k.
///
/// From the first panel of each side on, each panel sent is multiplied with all of the other side's that are there, and
/// the next one sent is of the side that gives the most products for its bytes: products catch up with the bus soon.
/// Where the device does not hold all kept panels, or takes those of others when its own are done, another round
/// follows: all of the other side's panels pass by, in the opposite direction, from those that are there still.
class Schedule {
 public:
  /// `claims`: of the panels of the kept side, in as many parts as there are takers.
  Schedule(const Cut& cut, PanelClaims& claims, int taker);

  /// False when there are no more; where it may not take `from_others`, none of the taker's own.
  bool next(Step& step, bool from_others = true);

  /// What has not been claimed by now is left to others. next() goes on with what has.
  void stop_claiming() { claiming_ = false; }

 private:
  bool next_piece(Step& step, bool from_others);
  bool is_offered(bool from_others);
  void claim(bool from_others);
  void begin_round();
  void add_kept(Step& step);
  void add_passing(Step& step);
  void take_offer(Step& step);
  bool kept_comes_next() const;
  PanelRun& run_of(Step& step, Side side) const { return side == Side::a ? step.a : step.b; }
  const SideCut& kept() const { return cut_.kept_side(); }
  const SideCut& passing() const { return cut_.passing_side(); }
  Side passing_side() const { return cut_.kept == Side::a ? Side::b : Side::a; }
  int passing_slot(std::int64_t panel) const { return static_cast<int>(panel % passing().slots); }

  const Cut cut_;
  PanelClaims& claims_;
  const int taker_;
  bool claiming_ = true;
  std::optional<std::int64_t> offered_;  // a kept panel that has been claimed, and not been sent
  // The round's kept panels that are there, neighbours in slots from kept_slot_ on.
  std::int64_t kept_first_ = 0;
  std::int64_t kept_there_ = 0;
  int kept_slot_ = 0;
  // The passing panels that are there, a window of all, and how many have not passed yet in this round.
  std::int64_t window_begin_ = 0;
  std::int64_t window_end_ = 0;
  std::int64_t to_pass_;
  bool forward_ = true;
  // A product with all of the window whose slots go over the end of the ring: its second part.
  bool has_second_part_ = false;
  Step second_part_;
  // Where k is cut: the tile is the offered kept panel by a passing one.
  std::int64_t passing_panel_ = 0;
  std::int64_t piece_ = 0;
  std::int64_t pieces_sent_ = 0;
};

}  // namespace ladder::shim
