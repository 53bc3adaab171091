// SPDX-License-Identifier: MIT
// What the dynamic loader did with the names around matrix products, as libladderblas-audit.so recorded it
// (src/audit/record.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ladder::doctor {

/// How an object came by a function: called by name, or fetched with dlsym.
enum class Way : std::uint8_t { linked, dlsym };

struct Binding {
  std::string symbol;
  std::string from;  ///< path of the object that uses it
  std::string to;    ///< path of the object in which the loader found it
  Way way = Way::linked;
  bool redirected = false;  ///< the audit mode gave it our function instead
  std::string why;          ///< the auditor's word for why it did, or did not
  auto operator<=>(const Binding&) const = default;
};

struct BindingLog {
  std::map<std::string, std::string> processes;  ///< id: path of the program
  std::set<std::string> objects;                 ///< paths of all that was loaded
  std::set<Binding> bindings;
};

/// Adds the event that a line tells of; a line that tells of none is left alone.
void read_binding_line(std::string_view line, BindingLog& log);

/// Adds what one process recorded. False where the file cannot be read.
bool read_binding_log(const std::string& file, BindingLog& log);

}  // namespace ladder::doctor
