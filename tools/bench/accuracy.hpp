// SPDX-License-Identifier: MIT
// How accurate contenders are, as `ladder accuracy` keeps it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench_problem.hpp"
#include "error_figures.hpp"
#include "results.hpp"

namespace ladder::bench {

inline constexpr std::string_view any_sums = "any";  ///< summed in whichever order the contender takes
inline constexpr std::string_view plain_sums_name =
    "plain";  ///< summed in the order of k, as LADDER_REPRODUCIBLE=1 asks

/// One contender on one problem with one kind of data.
struct AccuracyRow {
  BenchProblem problem;
  std::string rung;  ///< as BenchRow has it, here and below
  std::string name;
  std::string precision;
  std::string sums;  ///< any_sums or plain_sums_name
  std::string data;
  std::optional<ErrorFigures> errors;  ///< nothing where there is no result
  std::optional<double> bound;         ///< stated for worst_of_largest; nothing where none is
  std::string verdict;                 ///< "right", or what was wrong
};

/// True where the verdict is "right", the figures are numbers, and what has a stated bound is within it.
bool is_right(const AccuracyRow& row);

struct AccuracyResults {
  Conditions conditions;
  std::vector<AccuracyRow> rows;
};

/// The whole file, as results_csv() has it, with its own columns.
std::string accuracy_csv(const AccuracyResults& results);

}  // namespace ladder::bench
