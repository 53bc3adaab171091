// SPDX-License-Identifier: MIT
#include "offload/schedule.hpp"

#include <algorithm>

namespace ladder::shim {

Schedule::Schedule(const Cut& cut) : cut_(cut), to_pass_(passing().panels) { begin_round(); }

bool Schedule::next(Step& step) {
  step = Step{};
  if (cut_.pieces > 1) return next_piece(step);
  if (has_second_part_) {
    step = second_part_;
    has_second_part_ = false;
    return true;
  }
  if (kept_there_ == kept_of_round_ && to_pass_ == 0) {
    kept_begin_ += kept_of_round_;
    forward_ = !forward_;
    to_pass_ = passing().panels - (window_end_ - window_begin_);
    begin_round();
  }
  if (kept_of_round_ == 0) return false;
  if (kept_comes_next()) {
    add_kept(step);
  } else {
    add_passing(step);
  }
  return true;
}

void Schedule::begin_round() {
  kept_of_round_ = std::min<std::int64_t>(kept().slots, kept().panels - kept_begin_);
  kept_there_ = 0;
}

bool Schedule::kept_comes_next() const {
  const std::int64_t there = window_end_ - window_begin_;
  if (kept_there_ == kept_of_round_) return false;
  if (to_pass_ == 0 || there == passing().slots) return true;
  return there > 0 && there * passing().panel >= kept_there_ * kept().panel;
}

/// A kept panel, multiplied with the whole window.
void Schedule::add_kept(Step& step) {
  const std::int64_t panel = kept_begin_ + kept_there_;
  const int slot = static_cast<int>(kept_there_);
  step.load({cut_.kept, panel, slot});
  run_of(step, cut_.kept) = {panel, 1, slot};
  ++kept_there_;

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
  if (kept_there_ == 0) {
    step.load({cut_.kept, kept_begin_, 0});
    ++kept_there_;
  }
  const bool is_full = window_end_ - window_begin_ == passing().slots;
  const std::int64_t panel = forward_ ? window_end_++ : --window_begin_;
  if (is_full) forward_ ? ++window_begin_ : --window_end_;
  --to_pass_;
  step.load({passing_side(), panel, passing_slot(panel)});
  run_of(step, passing_side()) = {panel, 1, passing_slot(panel)};
  run_of(step, cut_.kept) = {kept_begin_, kept_there_, 0};
}

/// Where k is cut: tile by tile, and each tile's pieces in order.
bool Schedule::next_piece(Step& step) {
  if (tile_ == cut_.a.panels * cut_.b.panels) return false;
  const int slot = static_cast<int>(pieces_sent_++ % cut_.a.slots);
  const std::int64_t i = tile_ % cut_.a.panels;
  const std::int64_t j = tile_ / cut_.a.panels;
  step.load({Side::a, i, slot});
  step.load({Side::b, j, slot});
  step.a = {i, 1, slot};
  step.b = {j, 1, slot};
  step.piece = piece_;
  if (++piece_ == cut_.pieces) {
    piece_ = 0;
    ++tile_;
  }
  return true;
}

}  // namespace ladder::shim
