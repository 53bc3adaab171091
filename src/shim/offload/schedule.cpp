// SPDX-License-Identifier: MIT
#include "offload/schedule.hpp"

#include <algorithm>

namespace ladder::shim {

Schedule::Schedule(const Cut& cut, PanelClaims& claims, int taker)
    : cut_(cut), claims_(claims), taker_(taker), to_pass_(passing().panels) {}

bool Schedule::next(Step& step, bool from_others) {
  step = Step{};
  if (cut_.pieces > 1) return next_piece(step, from_others);
  if (has_second_part_) {
    step = second_part_;
    has_second_part_ = false;
    return true;
  }
  while (true) {
    const bool offered = is_offered(from_others);
    if (offered && kept_comes_next()) {
      add_kept(step);
      return true;
    }
    if (to_pass_ > 0 && (offered || kept_there_ > 0)) {
      add_passing(step);
      return true;
    }
    if (kept_there_ == 0) return false;
    begin_round();
  }
}

/// Whether there is a kept panel for this round. It must be the neighbour of those that are there: other takers' panels
/// only begin a round.
bool Schedule::is_offered(bool from_others) {
  const bool has_room = kept_slot_ + kept_there_ < kept().slots;
  if (!offered_ && has_room) claim(from_others && kept_there_ == 0);
  return offered_.has_value();
}

void Schedule::claim(bool from_others) {
  if (!claiming_) return;
  offered_ = claims_.own(taker_);
  if (!offered_ && from_others) offered_ = claims_.others(taker_);
}

/// The next slots are free sooner than those of the panels just multiplied.
void Schedule::begin_round() {
  const auto next_slot = static_cast<int>(kept_slot_ + kept_there_);
  kept_slot_ = next_slot < kept().slots ? next_slot : 0;
  kept_there_ = 0;
  to_pass_ = passing().panels - (window_end_ - window_begin_);
  forward_ = window_begin_ == 0;
}

bool Schedule::kept_comes_next() const {
  const std::int64_t there = window_end_ - window_begin_;
  if (to_pass_ == 0 || there == passing().slots) return true;
  return there > 0 && there * passing().panel >= kept_there_ * kept().panel;
}

void Schedule::take_offer(Step& step) {
  if (kept_there_ == 0) kept_first_ = *offered_;
  step.load({cut_.kept, *offered_, static_cast<int>(kept_slot_ + kept_there_)});
  ++kept_there_;
  offered_.reset();
}

/// A kept panel, multiplied with the whole window.
void Schedule::add_kept(Step& step) {
  take_offer(step);
  const PanelLoad& load = step.loads.front();
  run_of(step, cut_.kept) = {load.panel, 1, load.slot};

  const std::int64_t slots = passing().slots;
  const std::int64_t ring_end = (window_begin_ / slots + 1) * slots;
  const std::int64_t middle = std::min(window_end_, ring_end);
  run_of(step, passing_side()) = {window_begin_, middle - window_begin_, passing_slot(window_begin_)};
  if (middle == window_end_) return;
  has_second_part_ = true;
  second_part_ = step;
  second_part_.load_count = 0;
  run_of(second_part_, passing_side()) = {middle, window_end_ - middle, passing_slot(middle)};
}

/// A passing panel, multiplied with all kept ones that are there: at the very start it brings the first of them along.
void Schedule::add_passing(Step& step) {
  if (kept_there_ == 0) take_offer(step);
  const bool is_full = window_end_ - window_begin_ == passing().slots;
  const std::int64_t panel = forward_ ? window_end_++ : --window_begin_;
  if (is_full) forward_ ? ++window_begin_ : --window_end_;
  --to_pass_;
  step.load({passing_side(), panel, passing_slot(panel)});
  run_of(step, passing_side()) = {panel, 1, passing_slot(panel)};
  run_of(step, cut_.kept) = {kept_first_, kept_there_, kept_slot_};
}

/// Where k is cut: tile by tile, and each tile's pieces in order.
bool Schedule::next_piece(Step& step, bool from_others) {
  if (!offered_) claim(from_others);
  if (!offered_) return false;
  const int slot = static_cast<int>(pieces_sent_++ % kept().slots);
  step.load({cut_.kept, *offered_, slot});
  step.load({passing_side(), passing_panel_, slot});
  run_of(step, cut_.kept) = {*offered_, 1, slot};
  run_of(step, passing_side()) = {passing_panel_, 1, slot};
  step.piece = piece_;
  if (++piece_ < cut_.pieces) return true;
  piece_ = 0;
  if (++passing_panel_ < passing().panels) return true;
  passing_panel_ = 0;
  offered_.reset();
  return true;
}

}  // namespace ladder::shim
