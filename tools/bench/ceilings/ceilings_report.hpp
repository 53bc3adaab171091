// SPDX-License-Identifier: MIT
// Ceilings as text: a table, JSON, and lines among the conditions of a result file, to be read back.
#pragma once

#include <string>

#include "bench/results.hpp"
#include "bench/roofline.hpp"

namespace ladder::bench {

/// One line for each ceiling that was measured; empty where there is none.
std::string ceilings_table(const Ceilings& ceilings);

/// {"fma_tflops":65.2,"tf32_tflops":null,...}: every key, null where it was not measured.
std::string ceilings_json(const Ceilings& ceilings);

/// Appends a line for each measured ceiling, such as {"ceiling fma_tflops", "65.184"}.
void add_ceilings(Conditions& conditions, const Ceilings& ceilings);

/// Those that add_ceilings wrote, to its five digits; a value that is no positive number is left out.
Ceilings ceilings_from(const Conditions& conditions);

}  // namespace ladder::bench
