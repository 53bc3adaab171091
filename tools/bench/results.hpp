// SPDX-License-Identifier: MIT
// Measurements as they are kept: a CSV file whose `#` lines say under which conditions it was made.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench_problem.hpp"
#include "roofline.hpp"

namespace ladder::bench {

/// Median and quartiles of the samples, in milliseconds.
struct Spread {
  double median = 0.0;
  double q1 = 0.0;
  double q3 = 0.0;
};

/// One contender on one problem.
struct BenchRow {
  BenchProblem problem;
  std::string rung;       ///< "9", "padded", or "0" for cuBLAS
  std::string name;       ///< "double_buffered", "double_buffered:warp_specialized_128x64", "cublas_tf32"
  std::string precision;  ///< "fp32", "tf32"
  std::string data;       ///< "normal", "uniform", "positive", "zeros"
  std::string cache;      ///< "cold" or "warm"
  std::string timing;     ///< "graph", "stream" or "host": how the time was taken
  int samples = 0;
  Spread time;                    ///< of the work itself
  std::optional<double> host_us;  ///< median time that the call kept the host
  std::optional<double> host_us_least;
  std::string peer;  ///< what `ratio` compares with, such as "cublas"
  std::optional<Spread> peer_time;
  std::string limit;  ///< of the floor: "flops", "bytes", "launch"
  std::optional<double> floor_ms;
  std::optional<double> worst_error;  ///< largest sampled |error| / its bound; NaN or above 1 is wrong
  std::optional<int> sm_mhz;          ///< while it ran
  std::optional<double> watts;
  std::string verdict;  ///< "right", or what was wrong: then the times mean nothing
};

inline constexpr std::string_view verdict_right = "right";

/// True where the verdict is "right", the error is within its bound, and median and quartiles of the time are positive
/// finite numbers in their order.
bool is_right(const BenchRow& row);

/// Of rows that are not right there is none: NaN.
double tflops(const BenchRow& row);
/// Peer time / own time: above 1 is quicker than the peer. Nothing for a row that is not right or has no peer.
std::optional<double> ratio(const BenchRow& row);
/// Floor / own time: at most about 1. Nothing for a row that is not right or has no floor.
std::optional<double> share_of_floor(const BenchRow& row);

/// "GPU", "driver", "command" ... in the order in which they are printed.
using Conditions = std::vector<std::pair<std::string, std::string>>;

struct Results {
  Conditions conditions;
  std::vector<BenchRow> rows;
};

/// The whole file: conditions as "# key: value" lines, the line of columns, a line a row (RFC 4180).
std::string results_csv(const Results& results);

/// Reads such a file, or one made by hand: columns in any order, by name. Required are category, op_a, op_b, m, n, k,
/// batch, rung, ms, and one of peer_ms and ratio; a peer's time and a floor that are missing are derived from ratio
/// and share_of_floor. No verdict column means right. A time that is empty or no finite number is NaN, which is a row
/// without a result. Nothing and one line "PATH:LINE: what is wrong" where the file cannot be used.
std::optional<Results> read_results(const std::filesystem::path& path, std::string& complaint);

}  // namespace ladder::bench
