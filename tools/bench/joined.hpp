// SPDX-License-Identifier: MIT
// A list of texts as one.
#pragma once

#include <string>
#include <string_view>

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

}  // namespace ladder::bench
