// SPDX-License-Identifier: MIT
// What the dynamic loader would load with a program: it is asked itself, without running the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::doctor {

struct LoaderList {
  std::vector<std::string> files;    ///< paths, in the loader's order; the program itself is not among them
  std::vector<std::string> missing;  ///< names that the loader does not find
  std::string complaint;             ///< what it said instead; empty otherwise
};

/// Reads what `ld.so --list` prints: "libm.so.6 => /lib/libm.so.6 (0x...)" and "libx.so.1 => not found".
void read_loader_line(std::string_view line, LoaderList& list);

/// Asks `loader`, the program's own, what `program` needs, with this process's LD_LIBRARY_PATH.
LoaderList loader_list(const std::string& loader, const std::string& program);

}  // namespace ladder::doctor
