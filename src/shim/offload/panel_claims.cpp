// SPDX-License-Identifier: MIT
#include "offload/panel_claims.hpp"

#include <algorithm>

namespace ladder::shim {

PanelClaims::PanelClaims(std::int64_t panels, int takers) {
  for (std::int64_t taker = 0; taker < takers; ++taker)
    parts_.push_back({panels * taker / takers, panels * (taker + 1) / takers});
}

std::optional<std::int64_t> PanelClaims::own(int taker) {
  const std::lock_guard lock(mutex_);
  Part& part = parts_[static_cast<std::size_t>(taker)];
  if (part.left() == 0) return std::nullopt;
  return part.begin++;
}

std::optional<std::int64_t> PanelClaims::others(int taker) {
  const std::lock_guard lock(mutex_);
  const auto own = parts_.begin() + taker;
  if (own->left() > 0) return std::nullopt;
  return take_last(*std::max_element(parts_.begin(), parts_.end(),
                                     [](const Part& x, const Part& y) { return x.left() < y.left(); }));
}

std::optional<std::int64_t> PanelClaims::left_over() {
  const std::lock_guard lock(mutex_);
  for (Part& part : parts_) {
    if (part.left() > 0) return take_last(part);
  }
  return std::nullopt;
}

std::optional<std::int64_t> PanelClaims::take_last(Part& part) {
  if (part.left() == 0) return std::nullopt;
  return --part.end;
}

}  // namespace ladder::shim
