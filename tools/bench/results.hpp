// SPDX-License-Identifier: MIT
// Measurements as they are kept: a CSV file whose `#` lines say under which conditions it was made.
#pragma once

#include <optional>
#include <string>
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
  std::string name;       ///< "double_buffered", "double_buffered:all_copy_64x64", "cublas_tf32"
  std::string precision;  ///< "fp32", "tf32"
  std::string data;       ///< "normal", "uniform", "positive", "zeros"
  std::string cache;      ///< "cold" or "warm"
  std::string timing;     ///< "graph", "stream" or "host": how the time was taken
  int samples = 0;
  Spread time;                    ///< of the work itself
  std::optional<double> host_us;  ///< median time that the call kept the host
  std::string peer;               ///< what `ratio` compares with, such as "cublas"
  std::optional<Spread> peer_time;
  std::string limit;  ///< of the floor: "flops", "bytes", "launch"
  std::optional<double> floor_ms;
  std::optional<double> worst_error;  ///< largest sampled |error| / its bound; NaN or above 1 is wrong
  std::optional<int> sm_mhz;          ///< while it ran
  std::optional<double> watts;
  std::string verdict;  ///< "right", or what was wrong: then the times mean nothing
};

double tflops(const BenchRow& row);
std::optional<double> ratio(const BenchRow& row);           ///< peer time / own time: above 1 is quicker than the peer
std::optional<double> share_of_floor(const BenchRow& row);  ///< floor / own time: at most about 1

/// "GPU", "driver", "command" ... in the order in which they are printed.
using Conditions = std::vector<std::pair<std::string, std::string>>;

struct Results {
  Conditions conditions;
  std::vector<BenchRow> rows;
};

}  // namespace ladder::bench
