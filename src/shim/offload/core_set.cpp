// SPDX-License-Identifier: MIT
#include "offload/core_set.hpp"

namespace ladder::shim {

void CoreSet::add(unsigned core) {
  if (core < most_cores) CPU_SET_S(core, bytes, set());
}

bool CoreSet::has(unsigned core) const { return core < most_cores && CPU_ISSET_S(core, bytes, set()); }

int CoreSet::count() const { return CPU_COUNT_S(bytes, set()); }

CoreSet CoreSet::common_with(const CoreSet& other) const {
  CoreSet both;
  CPU_AND_S(bytes, both.set(), set(), other.set());
  return both;
}

bool CoreSet::read_from_this_thread() {
  CoreSet read;
  if (sched_getaffinity(0, bytes, read.set()) != 0) return false;
  *this = read;
  return true;
}

bool CoreSet::give_to_this_thread() const { return sched_setaffinity(0, bytes, set()) == 0; }

}  // namespace ladder::shim
