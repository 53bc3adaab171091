// SPDX-License-Identifier: MIT
// Reads what Nsight Compute prints with --csv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "metrics.hpp"

namespace ladder::profile {

struct NcuOutput {
  std::vector<ProfiledKernel> kernels;  ///< in the order of their launches
  std::string complaint;                ///< empty, or why this is not a table of kernels
};

/// Takes the output as it was written: lines that begin with "==" are Nsight Compute's own remarks; what follows the
/// heading is read as one row a kernel with a row of units first (--page raw), or as one row a metric (the pages for
/// people). Without any heading there are no kernels, and no complaint.
NcuOutput read_ncu_csv(std::string_view text);

/// "1,234.5" is 1234.5; nothing for "n/a", for what is no finite number, and for trailing garbage.
std::optional<double> number_of(std::string_view text);

}  // namespace ladder::profile
