// SPDX-License-Identifier: MIT
// What `ladder profile` and `ladder launch` can be asked.
#include <memory>

#include "command_line.hpp"
#include "profile_command.hpp"

namespace ladder::cli {

namespace {

void add_problem(CLI::App& command, LaunchOptions& options) {
  command
      .add_option("--rungs", options.rungs,
                  "Numbers, names and ranges with commas between them, RUNG:TILE for one of its tiles, or all")
      ->check(known_rungs)
      ->capture_default_str();
  command.add_option("--size", options.size, "m, n and k, where they are not given")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--m", options.m, "Rows of C")->check(CLI::PositiveNumber);
  command.add_option("--n", options.n, "Columns of C")->check(CLI::PositiveNumber);
  command.add_option("--k", options.k, "Inner extent")->check(CLI::PositiveNumber);
  command.add_option("--ops", options.ops, "Operations on A and B")
      ->check(CLI::IsMember({"NN", "NT", "TN", "TT"}))
      ->capture_default_str();
}

}  // namespace

void add_profile(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<ProfileOptions>();
  CLI::App* profile = app.add_subcommand("profile", "Count with Nsight Compute what each rung does on the GPU");
  profile->footer(
      "Example: ladder profile --rungs 1-9 --size 4096 --output profile.csv\n"
      "Each rung is launched once warm and once for the counters, on random data and with cold caches; clocks are "
      "left\n"
      "alone. Exit code: 0 profiled, 1 what came back was unusable, 2 nothing could be profiled here.");
  add_problem(*profile, *options);
  profile->add_option("--ncu", options->ncu, "Nsight Compute's command, where it is not on PATH or with the toolkit");
  profile->add_option("--output", options->output, "File for every counter, as CSV");
  profile->add_option("--raw", options->raw, "File in which Nsight Compute's own output is kept");
  CLI::Option* from = profile->add_option("--from", options->from, "Report on such a file, and profile nothing");
  for (const char* option : {"--rungs", "--size", "--m", "--n", "--k", "--ops", "--ncu", "--raw", "--output"}) {
    from->excludes(profile->get_option(option));
  }
  CLI::Option* json = profile->add_flag("--json", options->json, "Print JSON instead of a report");
  profile->add_flag("--csv", options->csv, "Print every counter as CSV instead of a report")->excludes(json);
  profile->callback([&chosen, options] { chosen = [options] { return profile_command(*options); }; });
}

void add_launch(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<LaunchOptions>();
  CLI::App* launch = app.add_subcommand("launch", "Launch each rung once warm, between marks for a profiler");
  launch->group("");  // for `ladder profile` and for those who drive a profiler themselves
  add_problem(*launch, *options);
  launch->callback([&chosen, options] { chosen = [options] { return launch_command(*options); }; });
}

}  // namespace ladder::cli
