// SPDX-License-Identifier: MIT
// Numbers for keys of which a process meets few, so that what belongs to a key can lie in an array.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace ladder {

/// The first CAPACITY different keys get the numbers 0, 1, ... in the order in which they are first asked for, and keep
/// them. Any thread; no lock. May be constinit.
template <int CAPACITY>
class KeyNumbers {
 public:
  static constexpr int none = -1;  ///< of any further key

  /// `key` is not 0.
  int number_of(std::uint64_t key) {
    for (int number = 0; number < CAPACITY; ++number) {
      std::uint64_t found = keys_[number].load(std::memory_order_relaxed);
      if (found == 0 && keys_[number].compare_exchange_strong(found, key, std::memory_order_relaxed)) return number;
      if (found == key) return number;
    }
    return none;
  }

 private:
  std::array<std::atomic<std::uint64_t>, CAPACITY> keys_{};
};

}  // namespace ladder
