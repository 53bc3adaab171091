// SPDX-License-Identifier: MIT
// The columns of a CSV file that make up a problem.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_problem.hpp"
#include "csv_file.hpp"

namespace ladder::bench {

/// "N" or "T" (or "C": for real data the same), in either case.
std::optional<Op> op_from_letter(std::string_view letter);

/// category, op_a, op_b, m, n, k, and lda, ldb, ldc, batch where they are there; leading dimensions filled in. What is
/// illegal is left as the complaint of `cells`.
BenchProblem problem_from(CsvCells& cells);

}  // namespace ladder::bench
