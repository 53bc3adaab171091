// SPDX-License-Identifier: MIT
// `ladder accuracy`: what it is asked, and its parts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/accuracy.hpp"
#include "bench/matrix_data.hpp"
#include "bench_command.hpp"

namespace ladder::cli {

struct AccuracyOptions {
  BenchOptions what;          ///< problems, rungs, peers and the output; nothing of the timing
  std::string data;           ///< as kinds_of_data() takes them
  bool reproducible = false;  ///< each rung once more, in the plain order of k
};

/// Names with commas, or "all" for all but zeros, whose products have no relative error. Nothing where one is unknown.
std::optional<std::vector<bench::Data>> kinds_of_data(const std::string& text);

/// Compares results with float64 and prints the errors. exit_failed where a result was wrong or a launch failed,
/// exit_usage where nothing could be begun.
int accuracy_command(const AccuracyOptions& options);

/// Computes every problem of the plan with every kind of data on the GPU. Nothing, and why, where it cannot begin.
std::optional<bench::AccuracyResults> accuracy_results(const AccuracyOptions& options, const BenchPlan& plan,
                                                       Progress& progress, std::string& complaint);

}  // namespace ladder::cli
