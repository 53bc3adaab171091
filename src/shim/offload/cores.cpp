// SPDX-License-Identifier: MIT
#include "offload/cores.hpp"

#include <algorithm>
#include <cerrno>

namespace ladder::shim {

namespace {

/// What the thread that loaded the library may run on: a runtime of threads may since have tied it to one core.
class CoresAtLoad {
 public:
  CoresAtLoad() {
    const int errno_of_caller = errno;
    if (cores_.read_from_this_thread()) count_ = cores_.count();
    errno = errno_of_caller;
  }

  const CoreSet& cores() const { return cores_; }
  int count() const { return count_; }

 private:
  CoreSet cores_;
  int count_ = 0;  // not known
};

const CoresAtLoad at_load;

}  // namespace

const CoreSet& cores_of_process() { return at_load.cores(); }

int usable_cores() { return std::max(1, at_load.count()); }

void take_cores_of_process() {
  if (at_load.count() > 0) static_cast<void>(at_load.cores().give_to_this_thread());
}

void take_cores(const CoreSet* cores) {
  if (cores == nullptr || !cores->give_to_this_thread()) take_cores_of_process();
}

int copy_threads(int wished, int cores) {
  // Eight copy as much as the bus takes; the program may want the other half.
  constexpr int most_by_default = 8;
  return wished > 0 ? wished : std::clamp(cores / 2, 1, most_by_default);
}

int copy_threads(const Config& config) { return copy_threads(config.offload_threads, usable_cores()); }

}  // namespace ladder::shim
