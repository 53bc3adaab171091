// SPDX-License-Identifier: MIT
// The subcommands of `ladder`: what each is asked, and the function that does it and gives the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;            ///< the work was done and something was wrong
inline constexpr int exit_usage = 2;             ///< the work could not be started
inline constexpr int exit_cannot_execute = 126;  ///< run: the program is there but cannot be started
inline constexpr int exit_not_found = 127;       ///< run: there is no such program

struct ListOptions {
  bool json = false;
};

/// Prints the table of rungs on stdout.
int list_command(const ListOptions& options);

struct RunOptions {
  std::string rung;      ///< LADDER_RUNG; empty leaves the environment alone, here and below
  std::string device;    ///< LADDER_DEVICE
  std::string log;       ///< LADDER_LOG
  std::string log_time;  ///< LADDER_LOG_TIME
  std::string log_file;  ///< LADDER_LOG_FILE
  bool audit = false;    ///< LD_AUDIT beside LD_PRELOAD
  std::vector<std::string> program;
};

/// Replaces this process by the program, with the library preloaded. Returns only when that failed.
int run_command(const RunOptions& options);

struct VerifyOptions {
  std::string rung = "all";
  std::string device = "auto";
  std::optional<std::int64_t> m, n, k;
  std::optional<std::string> op;  ///< "NN", "NT", "TN" or "TT"
  std::optional<float> alpha, beta;
  std::int64_t extra_ld = 3;  ///< elements by which each leading dimension exceeds the smallest legal one
  bool json = false;
};

/// Runs rungs against float64 and prints a table on stdout.
int verify_command(const VerifyOptions& options);

}  // namespace ladder::cli
