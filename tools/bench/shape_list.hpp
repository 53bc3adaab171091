// SPDX-License-Identifier: MIT
// Which problems to time: from a CSV file, or as typed on the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench_problem.hpp"

namespace ladder::bench {

/// Columns category, op_a, op_b, m, n, k are required, lda, ldb, ldc, batch may be missing; any order, others are
/// ignored. A leading dimension of 0 or none is the smallest legal one, no batch is 1. Nothing and one line
/// "PATH:LINE: what is wrong" where the file cannot be used.
std::optional<std::vector<BenchProblem>> read_shapes(const std::filesystem::path& path, std::string& complaint);

/// "4096" (a cube) or "4096x2x4096" (m x n x k), after an optional "TN:" (the ops of A and B) and before an optional
/// "*96" (the batch), all leading dimensions the smallest. A cube is of category "square". Nothing and a clause
/// for people where the text means no problem.
std::optional<BenchProblem> parse_shape(std::string_view text, std::string& complaint);

/// Several of these with commas between them.
std::optional<std::vector<BenchProblem>> parse_shapes(std::string_view text, std::string& complaint);

}  // namespace ladder::bench
