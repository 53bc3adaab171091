// SPDX-License-Identifier: MIT
#include "host_rest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "bench/host_clock.hpp"

namespace ladder::bench {

namespace {

// OpenBLAS's threads stay awake for 2^28 ticks of the time stamp counter, some 100 ms, and for up to 2^30 if
// OPENBLAS_THREAD_TIMEOUT says so, 540 ms at 2 GHz.
constexpr double longest_rest_ms = 600.0;
constexpr double between_looks_ms = 2.0;

/// The third field of /proc/PID/task/TID/stat, after a name in parentheses that may hold any character.
bool is_runnable(const std::filesystem::path& task) {
  std::ifstream file(task / "stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text.compare(name_end + 2, 1, "R") == 0;
}

}  // namespace

int runnable_threads(pid_t process) {
  const std::string caller = fmt::format("{}", gettid());
  int count = 0;
  std::error_code error;
  std::filesystem::directory_iterator tasks(fmt::format("/proc/{}/task", process), error);
  for (; !error && tasks != std::filesystem::directory_iterator(); tasks.increment(error)) {
    if (tasks->path().filename() != caller && is_runnable(tasks->path())) ++count;
  }
  return count;
}

RestMeans rest_means(std::function<int()> awake) {
  constexpr double us_per_ms = 1000.0;
  return {std::move(awake), [timer = HostTimer()] { return timer.microseconds() / us_per_ms; },
          [](double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }};
}

void Rests::rest() {
  const double start_ms = means_.now_ms();
  double rested_ms = 0.0;
  bool awake = means_.awake() > 0;
  while (awake && rested_ms < longest_rest_ms) {
    means_.sleep(between_looks_ms);
    awake = means_.awake() > 0;
    rested_ms = means_.now_ms() - start_ms;
  }
  ++count_;
  if (awake) ++cut_short_;
  longest_ms_ = std::max(longest_ms_, rested_ms);
}

std::string Rests::text() const {
  return fmt::format("{}, the longest {:.0f} ms, {} cut short after {:.0f} ms", count_, longest_ms_, cut_short_,
                     longest_rest_ms);
}

}  // namespace ladder::bench
