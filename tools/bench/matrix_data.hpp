// SPDX-License-Identifier: MIT
// What the operands of a measurement hold. Power, and with it the clock, depends on it, and so does the error.
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
  graded,       ///< normal times 2^e(k) in A and 2^-e(k) in B, e(k) rising from -10 to 10 along k
  graded_rows,  ///< normal times 2^e, e rising from -25 to 25 over the rows of op(A) and the columns of op(B)
  log_normal,   ///< of either sign, the binary logarithm of the magnitude normal with deviation 10, within 60 binades
  sparse,       ///< normal, and nine in ten of them zero
  subnormal,    ///< normal times 2^-130 in A, normal in B: A and C are mostly subnormal
  huge,         ///< normal times 2^60 in A and 2^40 in B
  spiked,       ///< normal, and every 64th k times 2^30, in B half-way between those of A
  spread,       ///< of either sign, 2^-e to 2^(1-e), each element with an e of its own from 0 to 15
};

inline constexpr std::array<const char*, 12> data_names = {"normal",    "uniform",     "positive",   "zeros",
                                                           "graded",    "graded_rows", "log_normal", "sparse",
                                                           "subnormal", "huge",        "spiked",     "spread"};

/// False for those that are drawn on a GPU only.
constexpr bool is_drawn_by_host(Data data) { return data <= Data::zeros; }

inline const char* data_name(Data data) { return data_names[static_cast<std::size_t>(data)]; }

/// By name; nothing where there is no such distribution.
inline std::optional<Data> data_named(std::string_view name) {
  for (std::size_t i = 0; i < data_names.size(); ++i) {
    if (name == data_names[i]) return static_cast<Data>(i);
  }
  return std::nullopt;
}

}  // namespace ladder::bench
