// SPDX-License-Identifier: MIT
// `ladder tune`: what it is asked.
#pragma once

#include <string>
#include <vector>

#include "tune/session.hpp"

namespace ladder::cli {

struct TuneOptions {
  std::string shapes_file;          ///< CSV; empty: the shapes on the command line
  std::vector<std::string> shapes;  ///< "4096", "TN:4096x1x4096"
  std::string rungs = "all";        ///< of those that can be tuned
  std::string output;               ///< the cache; empty: where the library looks for it
  std::string builtin;              ///< also write a table to build in
  std::string times;                ///< also write what every candidate took
  int candidates = tune::SearchRules{}.candidates;
  double budget_s = tune::SessionOptions{}.budget_s;
  bool host = false;  ///< the rates of CPU, bus and GPU instead
  std::string blas;   ///< the CPU BLAS for that; empty: LADDER_BLAS, or OpenBLAS
  bool json = false;
  bool show = false;  ///< print what the cache holds, and time nothing
};

/// Times configurations on the GPU, prints what was chosen and keeps it in the cache.
int tune_command(const TuneOptions& options);

}  // namespace ladder::cli
