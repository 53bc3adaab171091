// SPDX-License-Identifier: MIT
// Sets of the machine's cores, as the system numbers them, and threads that run on them.
#pragma once

#include <sched.h>

#include <array>
#include <cstddef>

namespace ladder::shim {

class CoreSet {
 public:
  static constexpr std::size_t most_cores = std::size_t{1} << 16;

  void add(unsigned core);
  bool has(unsigned core) const;
  int count() const;
  CoreSet common_with(const CoreSet& other) const;
  bool operator==(const CoreSet& other) const { return bits_ == other.bits_; }

  /// What the calling thread may run on. False, and unchanged, where the system does not say.
  bool read_from_this_thread();
  /// False where the system refuses, as for a set of which the process may use none.
  bool give_to_this_thread() const;

 private:
  static constexpr std::size_t bits_in_a_byte = 8;
  static constexpr std::size_t bytes = most_cores / bits_in_a_byte;

  cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(bits_.data()); }
  const cpu_set_t* set() const { return reinterpret_cast<const cpu_set_t*>(bits_.data()); }

  alignas(cpu_set_t) std::array<unsigned char, bytes> bits_{};
};

/// Gives the calling thread back, when it goes, the cores that the thread had.
class CoresOfThreadKept {
 public:
  CoresOfThreadKept() : known_(before_.read_from_this_thread()) {}
  ~CoresOfThreadKept() {
    if (known_) static_cast<void>(before_.give_to_this_thread());
  }
  CoresOfThreadKept(const CoresOfThreadKept&) = delete;
  CoresOfThreadKept& operator=(const CoresOfThreadKept&) = delete;

  /// False where there would be no way back.
  bool known() const { return known_; }

 private:
  CoreSet before_;
  const bool known_;
};

}  // namespace ladder::shim
