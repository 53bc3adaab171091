// SPDX-License-Identifier: MIT
// What LADDER_LOG asks for: a line a call, or a table at exit.
#pragma once

#include <chrono>
#include <string>

#include "counters.hpp"
#include "door.hpp"
#include "gemm_problem.hpp"
#include "served.hpp"

namespace ladder::shim {

/// Opened at a door, closed once the call is served: counts it and, where asked for, writes its line.
/// With LADDER_LOG=off no clock is read and nothing is formatted.
class CallRecord {
 public:
  explicit CallRecord(Door door);
  void close(const GemmProblem& problem, const Served& served) const;

 private:
  Door door_;
  std::chrono::steady_clock::time_point begin_;
};

/// True where the caller of close() should find out which GPU it was.
bool logs_calls();

/// The line of one call, without the newline (contract: greppable, key=value).
std::string format_call(Door door, const GemmProblem& problem, const Served& served, double microseconds);

/// The table of all calls so far, its lines separated by newlines; empty where there were none.
std::string format_summary();

/// LADDER_LOG_FILE with %p replaced by the process id.
std::string log_path(const std::string& pattern, long process_id);

}  // namespace ladder::shim
