// SPDX-License-Identifier: MIT
// What each rung's idea was meant to move, and whether it did.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "figures.hpp"

namespace ladder::profile {

enum class Move : std::uint8_t {
  starts,  ///< where the ladder stands before any idea: there is nothing to compare with
  falls,
  rises,
  follows,  ///< either way: it goes with a choice and is worth a look
};

struct Expectation {
  std::string_view rung_id;  ///< "r02"
  Figure figure;
  Move move;
};

/// All of them, bottom to top. A rung may have several.
std::span<const Expectation> expectations();

struct Movement {
  Expectation meant;
  std::optional<double> before;
  std::optional<double> after;
  std::optional<bool> as_meant;  ///< nothing where there is nothing to compare, or no side to take
};

/// `below` may be null.
Movement movement_of(const Expectation& meant, const Figures& figures, const Figures* below);

/// "sectors per global load request was to fall: 8.5 -> 2.5, and did"
std::string to_text(const Movement& movement);

}  // namespace ladder::profile
