// SPDX-License-Identifier: MIT
// A list of texts that grows and never shrinks, so that a number can stand for each.
#pragma once

#include <array>
#include <atomic>
#include <cstring>

namespace ladder::shim {

/// The same text has the same number, wherever it is stored. Texts must be in static storage. Any thread; no locks.
class WordList {
 public:
  static constexpr int most_words = 64;
  static constexpr int too_many = most_words;  ///< the number of every text that found no room

  int number_of(const char* text) {
    for (int i = 0; i < most_words; ++i) {
      const char* found = words_[i].load(std::memory_order_acquire);
      if (found == nullptr && words_[i].compare_exchange_strong(found, text, std::memory_order_acq_rel)) return i;
      if (found == text || std::strcmp(found, text) == 0) return i;
    }
    return too_many;
  }

  /// The text of a number that number_of() gave.
  const char* word(int number) const {
    return number == too_many ? "other" : words_[number].load(std::memory_order_acquire);
  }

 private:
  std::array<std::atomic<const char*>, most_words> words_{};
};

}  // namespace ladder::shim
