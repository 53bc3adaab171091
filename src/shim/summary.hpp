// SPDX-License-Identifier: MIT
// The text of LADDER_LOG=summary.
#pragma once

#include <string>

#include "summary_table.hpp"

namespace ladder::shim {

/// A line of headings, a line for each row, the one that took longest first, a line of totals, and notes; separated by
/// newlines, each beginning with "ladderblas: ". No cell has a space in it. Empty where there were no calls.
/// `gpu_times`: with the columns that hold what the GPU took.
std::string format_summary(const SummaryTable& table, bool gpu_times);

}  // namespace ladder::shim
