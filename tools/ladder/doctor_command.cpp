// SPDX-License-Identifier: MIT
#include "doctor_command.hpp"

#include <fmt/format.h>

#include <optional>

#include "commands.hpp"
#include "doctor/diagnosis.hpp"
#include "doctor/doctor_json.hpp"

namespace ladder::cli {

namespace {

bool can_be_run(const doctor::Before& before) {
  return before.program.complaint.empty() && before.surroundings.library_complaint.empty();
}

int exit_code_of(const DoctorOptions& options, const doctor::Before& before, const doctor::Run* run) {
  if (!can_be_run(before) || (run != nullptr && !run->complaint.empty())) return exit_usage;
  if (options.look_only) return exit_ok;
  const doctor::Verdict verdict = doctor::verdict_of(before, run);
  if (verdict.program_failed) return exit_program_failed;
  return verdict.well ? exit_ok : exit_failed;
}

}  // namespace

int doctor_command(const DoctorOptions& options) {
  const doctor::Before before = examine(options);
  std::optional<doctor::Run> run;
  if (!options.look_only && can_be_run(before)) run = run_and_record(options, before);
  const doctor::Run* const seen = run ? &*run : nullptr;
  fmt::print("{}", options.json ? doctor::to_json(before, seen) : doctor_text(before, seen));
  return exit_code_of(options, before, seen);
}

}  // namespace ladder::cli
