// SPDX-License-Identifier: MIT
// Rests between calls, until no thread that waits for more work holds a core any longer.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <utility>

namespace ladder::bench {

/// Threads of the process that run or would if they had a core, those that yield in a loop among them; the calling
/// thread does not count. 0 where there is no such process.
int runnable_threads(pid_t process);

/// What a rest looks at and waits by.
struct RestMeans {
  std::function<int()> awake;            ///< how many threads hold cores, or want to
  std::function<double()> now_ms;        ///< since some fixed moment
  std::function<void(double ms)> sleep;  ///< for at least so long
};

/// By the clock and the sleep of this machine.
RestMeans rest_means(std::function<int()> awake);

/// A BLAS may keep its threads awake after a call, for the sake of the next one. Whoever is timed meanwhile shares the
/// cores with them.
class Rests {
 public:
  explicit Rests(RestMeans means) : means_(std::move(means)) {}

  /// Returns at once where nobody is awake, and in the end where somebody stays so.
  void rest();

  /// "45, the longest 104 ms, 0 cut short after 600 ms".
  std::string text() const;

 private:
  RestMeans means_;
  int count_ = 0;
  int cut_short_ = 0;
  double longest_ms_ = 0.0;
};

}  // namespace ladder::bench
