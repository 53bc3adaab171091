// SPDX-License-Identifier: MIT
// `ladder doctor -- program`: is it even using this library?
#pragma once

#include <string>
#include <vector>

#include "doctor/examination.hpp"

namespace ladder::cli {

inline constexpr int exit_program_failed = 3;  ///< doctor: the program ran and failed; the report has its exit code

struct DoctorOptions {
  std::string rung;         ///< LADDER_RUNG; empty leaves the environment alone, here and below
  std::string device;       ///< LADDER_DEVICE
  bool audit = false;       ///< run it under the audit mode
  bool calls_only = false;  ///< do not record what the loader binds
  bool look_only = false;   ///< do not run it
  bool json = false;
  std::vector<std::string> program;
};

/// Looks at the program, runs it, and prints a report on stdout.
int doctor_command(const DoctorOptions& options);

/// What can be known without running the program. Sets LADDER_RUNG and LADDER_DEVICE as the options ask.
doctor::Before examine(const DoctorOptions& options);

/// Runs the program with the library in front of it, and gathers what it leaves behind.
doctor::Run run_and_record(const DoctorOptions& options, const doctor::Before& before);

/// The report for people; `run` is null where there was none.
std::string doctor_text(const doctor::Before& before, const doctor::Run* run);

}  // namespace ladder::cli
