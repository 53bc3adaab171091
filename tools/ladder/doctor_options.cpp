// SPDX-License-Identifier: MIT
// What `ladder doctor` can be asked.
#include <memory>

#include "command_line.hpp"
#include "doctor_command.hpp"

namespace ladder::cli {

void add_doctor(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* doctor =
      app.add_subcommand("doctor", "Find out whether a program's SGEMM calls reach the library, and why not");
  doctor->footer(
      "Example: ladder doctor -- python3 train.py\n"
      "The program is looked at, run with the library preloaded, and reported on when it has ended. Each call leaves\n"
      "a line of some 200 bytes in a temporary folder ($TMPDIR) meanwhile, and LADDER_LOG is set for that.\n"
      "Exit code: 0 calls came, and none is known to have gone past the library; 1 none came, or some went past;\n"
      "2 the program could not be run, or the library not be used; 3 the program itself failed (the report has its\n"
      "exit code).");
  doctor->add_option("--rung", options->rung, "Rung to use (LADDER_RUNG)")->check(known_rung_setting);
  doctor->add_option("--device", options->device, "Where to run it (LADDER_DEVICE)")
      ->check(CLI::IsMember({"auto", "gpu", "cpu", "emulate"}));
  doctor->add_flag("--audit", options->audit, "Run it under the audit mode, as `ladder run --audit` does");
  doctor
      ->add_flag("--calls-only", options->calls_only,
                 "Count calls alone: nothing records what the loader binds (LD_AUDIT)")
      ->excludes(doctor->get_option("--audit"));
  doctor->add_flag("--look-only", options->look_only, "Look at the program, and do not run it")
      ->excludes(doctor->get_option("--audit"));
  doctor->add_flag("--json", options->json,
                   "Print JSON instead of a report; what the program prints on stdout then goes to stderr");
  doctor->add_option("program", options->program, "The program and its arguments, after --")->required();
  doctor->positionals_at_end();
  doctor->callback([&chosen, options] { chosen = [options] { return doctor_command(*options); }; });
}

}  // namespace ladder::cli
