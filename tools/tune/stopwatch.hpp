// SPDX-License-Identifier: MIT
// What the search for the quickest configuration measures with: the GPU's clock, or a test's own.
#pragma once

#include <optional>

namespace ladder::tune {

/// Times the configurations of one rung on one problem.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;

  /// Milliseconds of one run with that configuration; nothing where the run failed.
  virtual std::optional<double> time_ms(int config) = 0;
};

}  // namespace ladder::tune
