// SPDX-License-Identifier: MIT
#include "offload/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace ladder::shim {

namespace {

/// Cores of the calling thread among the first `most`; 0 where the machine has more than that.
int cores_among(int most) {
  cpu_set_t* set = CPU_ALLOC(most);
  if (set == nullptr) return 0;
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  const int cores = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
  CPU_FREE(set);
  return cores;
}

}  // namespace

int usable_cores() {
  constexpr int most_cores = 1 << 16;
  const int errno_of_caller = errno;
  int cores = 0;
  for (int most = CPU_SETSIZE; cores == 0 && most <= most_cores; most *= 2) cores = cores_among(most);
  errno = errno_of_caller;
  return std::max(1, cores);
}

int copy_threads(const Config& config) {
  // Eight copy as much as the bus takes; the program may want the other half.
  constexpr int most_by_default = 8;
  if (config.offload_threads > 0) return config.offload_threads;
  return std::clamp(usable_cores() / 2, 1, most_by_default);
}

}  // namespace ladder::shim
