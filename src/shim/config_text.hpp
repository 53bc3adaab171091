// SPDX-License-Identifier: MIT
// How the configuration reads a variable's text, and what it says of one that it cannot use.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "environment.hpp"

namespace ladder::shim {

/// An empty variable counts as unset.
inline std::string_view read(Environment environment, const char* name) {
  const char* value = environment(name);
  return value ? std::string_view(value) : std::string_view();
}

inline std::string complaint_because(const char* name, std::string_view value, std::string_view why) {
  return fmt::format("ladderblas: {}={} is not valid; {}; the default is used", name, value, why);
}

inline std::string complaint(const char* name, std::string_view value, std::string_view valid) {
  return complaint_because(name, value, fmt::format("valid are: {}", valid));
}

/// The whole of `text` as a number.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace ladder::shim
