// SPDX-License-Identifier: MIT
// What the operands of a measurement hold. Power, and with it the clock, depends on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ladder::bench {

enum class Data : std::uint8_t {
  normal,    ///< mean 0, variance 1
  uniform,   ///< from -1 to 1
  positive,  ///< from 0 to 1
  zeros,
  graded,  ///< normal times 2^e(k) in A and 2^-e(k) in B, e(k) rising from -10 to 10 along k
};

inline constexpr std::array<const char*, 5> data_names = {"normal", "uniform", "positive", "zeros", "graded"};

inline const char* data_name(Data data) { return data_names[static_cast<std::size_t>(data)]; }

/// By name; nothing where there is no such distribution.
inline std::optional<Data> data_named(std::string_view name) {
  for (std::size_t i = 0; i < data_names.size(); ++i) {
    if (name == data_names[i]) return static_cast<Data>(i);
  }
  return std::nullopt;
}

}  // namespace ladder::bench
