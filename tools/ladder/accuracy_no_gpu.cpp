// SPDX-License-Identifier: MIT
// Built where there is no CUDA: `ladder accuracy` says so.
#include "accuracy_command.hpp"

namespace ladder::cli {

std::optional<bench::AccuracyResults> accuracy_results(const AccuracyOptions&, const BenchPlan&, Progress&,
                                                       std::string& complaint) {
  complaint = "this build has no CUDA, so it computes nothing on a GPU; `ladder verify` checks rungs on the CPU";
  return std::nullopt;
}

}  // namespace ladder::cli
