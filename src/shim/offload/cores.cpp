// SPDX-License-Identifier: MIT
#include "offload/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace ladder::shim {

namespace {

/// What the thread that loaded the library may run on: a runtime of threads may since have tied it to one core.
class CoresAtLoad {
 public:
  CoresAtLoad() {
    const int errno_of_caller = errno;
    if (sched_getaffinity(0, sizeof set_, set()) == 0) count_ = CPU_COUNT_S(sizeof set_, set());
    errno = errno_of_caller;
  }

  int count() const { return count_; }

  void give_to_this_thread() {
    if (count_ > 0) static_cast<void>(sched_setaffinity(0, sizeof set_, set()));
  }

 private:
  static constexpr std::size_t most_cores = std::size_t{1} << 16;
  static constexpr std::size_t bits_in_a_byte = 8;

  cpu_set_t* set() { return reinterpret_cast<cpu_set_t*>(set_.data()); }

  alignas(cpu_set_t) std::array<unsigned char, most_cores / bits_in_a_byte> set_{};
  int count_ = 0;  // not known
};

CoresAtLoad at_load;

}  // namespace

int usable_cores() { return std::max(1, at_load.count()); }

void take_cores_of_process() { at_load.give_to_this_thread(); }

int copy_threads(const Config& config) {
  // Eight copy as much as the bus takes; the program may want the other half.
  constexpr int most_by_default = 8;
  if (config.offload_threads > 0) return config.offload_threads;
  return std::clamp(usable_cores() / 2, 1, most_by_default);
}

}  // namespace ladder::shim
