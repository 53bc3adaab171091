// SPDX-License-Identifier: MIT
// What the library's own log says of a run: calls by door, by who served them, and why.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

namespace ladder::doctor {

/// One way in which calls were answered, in the words of the log.
struct Answer {
  std::string door;
  std::string rung;    ///< "9", a name, or "none"
  std::string name;    ///< of the rung; next_blas: handed on to the next library; none: nothing was to do, or failed
  std::string device;  ///< "gpu:0", "cpu", "emulate"
  std::string why;
  auto operator<=>(const Answer&) const = default;
};

struct CallCounts {
  std::map<Answer, std::uint64_t> answers;
  std::map<std::string, std::uint64_t> shapes;     ///< "NT 512x512x64", with " x 12" where it is a batch
  std::map<std::string, std::uint64_t> passed_on;  ///< by door: calls that are not ours to serve, such as other types

  std::uint64_t total() const;  ///< without those passed on
  std::uint64_t through(std::string_view door) const;
};

/// Adds the call that a line of LADDER_LOG=call tells of; any other line is left alone.
void read_call_line(std::string_view line, CallCounts& counts);

/// Adds all lines of a file. False where it cannot be read.
bool read_call_log(const std::string& file, CallCounts& counts);

/// A rung computed it, or a library that it was handed on to, or there was nothing to compute.
bool is_rung(const Answer& answer);
bool is_handed_on(const Answer& answer);
bool is_noop(const Answer& answer);

}  // namespace ladder::doctor
