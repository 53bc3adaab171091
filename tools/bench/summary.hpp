// SPDX-License-Identifier: MIT
// Many problems in a few numbers: how a rung does against its peer and against the floor.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "results.hpp"

namespace ladder::bench {

/// A geometric mean and the least value, with the problem it belongs to. Nothing where there are no values, or where
/// some of the problems that went right have one and others do not.
struct Figure {
  std::optional<double> geomean;
  std::optional<double> min;
  std::string worst;
};

struct Figures {
  int problems = 0;  ///< all rows
  int failed = 0;    ///< wrong, without a time, or without a ratio where there is a peer; they are in no mean
  Figure ratio;      ///< peer time / own time
  Figure share_of_floor;
};

struct RungSummary {
  std::string label;  ///< what LADDER_RUNG calls it; "9:warp_specialized_128x64" for a forced configuration,
                      ///< "9:emulated" on the CPU
  std::string name;   ///< "next_blas+double_buffered" where not all calls were served by the same
  std::string peer;   ///< "cublas"; empty where the file does not say
  Figures overall;
  std::vector<std::pair<std::string, Figures>> categories;  ///< in the order of the file; "other" for none
};

struct Summary {
  std::vector<RungSummary> rungs;  ///< in the order of the file
};

/// Rows of the peers themselves (rung "0") are left out. `rung` is a label or a name; empty takes all.
Summary summarize(const Results& results, const std::string& rung = {});

/// The default rung where it is there, or else a configuration of it, or else the last one; null for an empty summary.
const RungSummary* headline(const Summary& summary);

}  // namespace ladder::bench
