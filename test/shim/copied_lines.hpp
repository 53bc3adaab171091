// SPDX-License-Identifier: MIT
// Lines in memory for tests of copies: what was copied and what was not, by one thread or by a team.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include "offload/copy_team.hpp"

namespace ladder::test {

using shim::CopyJob;
using shim::CopyTeam;
using shim::HostCopy;

inline constexpr unsigned char canary = 0xa5;
inline constexpr std::size_t cache_line = 64;

/// Lines somewhere in memory of their own, with canaries around them.
struct Lines {
  std::size_t shift, width, pitch, count;
  std::vector<unsigned char> bytes;
  std::size_t first;

  Lines(std::size_t shift_, std::size_t width_, std::size_t slack, std::size_t count_)
      : shift(shift_),
        width(width_),
        pitch(width_ + slack),
        count(count_),
        bytes(pitch * count_ + 4 * cache_line, canary) {
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    first = cache_line + (-address) % cache_line + shift;
  }
  unsigned char* line(std::size_t index) { return bytes.data() + first + index * pitch; }
  void fill(unsigned seed) {
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t i = 0; i < width; ++i) line(l)[i] = static_cast<unsigned char>(seed + l * 31 + i * 7 + i / 256);
  }
};

inline HostCopy copy_of(Lines& to, Lines& from) {
  return {to.line(0), to.pitch, from.line(0), from.pitch, to.width, to.count};
}

/// Exactly the lines arrived, and nothing around them was touched.
inline bool arrived(Lines& to, Lines& from) {
  Lines expected(to.shift, to.width, to.pitch - to.width, to.count);
  for (std::size_t l = 0; l < to.count; ++l) std::copy_n(from.line(l), to.width, expected.line(l));
  return std::equal(to.bytes.begin() + static_cast<std::ptrdiff_t>(to.first - to.shift - cache_line),
                    to.bytes.end() - 3 * cache_line,
                    expected.bytes.begin() + static_cast<std::ptrdiff_t>(expected.first - expected.shift - cache_line));
}

inline void wait_for(const CopyJob& job) {
  while (!job.done.load(std::memory_order_acquire)) std::this_thread::yield();
}

/// Many copies at once, from and to memory of their own.
struct Jobs {
  std::deque<Lines> from, to;
  std::deque<CopyJob> jobs;

  explicit Jobs(int count, unsigned seed = 0) {
    for (int i = 0; i < count; ++i) {
      from.emplace_back(4, 1000 + 4 * static_cast<std::size_t>(i % 7), 12, 40).fill(seed + static_cast<unsigned>(i));
      to.emplace_back(0, from.back().width, 0, 40);
      jobs.emplace_back().copy = copy_of(to.back(), from.back());
    }
  }
  void submit(CopyTeam& team) {
    for (CopyJob& job : jobs) team.submit(job);
  }
  bool all_done() const {
    return std::all_of(jobs.begin(), jobs.end(),
                       [](const CopyJob& job) { return job.done.load(std::memory_order_acquire); });
  }
  bool all_arrived() {
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (!arrived(to[i], from[i])) return false;
    return true;
  }
};

/// Runs `body` in a forked child, which is killed where it hangs; true where it returned true.
template <class Body>
bool in_child(const Body& body) {
  constexpr unsigned patience = 20;  // seconds
  const pid_t child = fork();
  if (child == 0) {
    alarm(patience);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace ladder::test
