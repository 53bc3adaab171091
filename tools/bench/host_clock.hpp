// SPDX-License-Identifier: MIT
// Time on the host, in the units of this project.
#pragma once

#include <chrono>

namespace ladder::bench {

class HostTimer {
 public:
  /// Since construction.
  double microseconds() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ladder::bench
