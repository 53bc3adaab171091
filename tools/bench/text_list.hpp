// SPDX-License-Identifier: MIT
// A list of texts as one, and back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::bench {

/// "a, b, c". By hand, for GCC 12 sees fmt::join write outside fmt's own array.
template <class Texts>
std::string joined(const Texts& texts, std::string_view separator) {
  std::string all;
  bool first = true;
  for (const auto& text : texts) {
    if (!first) all += separator;
    all += text;
    first = false;
  }
  return all;
}

/// "a,b" at ',' is a and b. What stands between two separators may be empty. Views of `text`.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace ladder::bench
