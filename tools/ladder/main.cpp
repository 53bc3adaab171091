// SPDX-License-Identifier: MIT
// The `ladder` command: what can be asked on the command line.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "bench/rung_choice.hpp"
#include "command_line.hpp"
#include "commands.hpp"
#include "rung.hpp"
#include "shim/tuning_source.hpp"

namespace ladder::cli {

std::string known_rung(const std::string& text) {
  if (find_rung(text) != nullptr) return {};
  return fmt::format("'{}' is not a rung; `ladder list` shows them", text);
}

std::string known_rung_or_all(const std::string& text) { return text == "all" ? std::string{} : known_rung(text); }

std::string known_rungs(const std::string& text) {
  std::string complaint;
  bench::parse_rungs(text, complaint);
  return complaint;
}

std::string known_rung_setting(const std::string& text) {
  if (text == "auto") return {};
  for (const std::string& rung : CLI::detail::split(text, ',')) {
    if (const std::string complaint = known_rung(rung); !complaint.empty()) return complaint;
  }
  return {};
}

namespace {

void add_list(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App* list = app.add_subcommand("list", "Show the rungs and where each can run on this machine");
  list->add_flag("--json", options->json, "Print JSON instead of a table");
  list->callback([&chosen, options] { chosen = [options] { return list_command(*options); }; });
}

void add_run(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App* run = app.add_subcommand("run", "Run a program with its SGEMM calls served by the ladder");
  run->footer(
      "Example: ladder run --rung 5 --log summary -- python3 train.py\n"
      "The exit code is the program's own; 127 when there is no such program.");
  run->add_option("--rung", options->rung, "Rung to use: a number, a name, auto, or several with commas (LADDER_RUNG)")
      ->check(known_rung_setting);
  run->add_option("--device", options->device, "Where to run it (LADDER_DEVICE)")
      ->check(CLI::IsMember({"auto", "gpu", "cpu", "emulate"}));
  run->add_option("--log", options->log, "What to report: nothing, a table at exit, or a line a call (LADDER_LOG)")
      ->check(CLI::IsMember({"off", "summary", "call"}));
  run->add_option("--log-time", options->log_time,
                  "What the table tells of time: the host's, or the GPU's too (LADDER_LOG_TIME)")
      ->check(CLI::IsMember({"host", "gpu"}));
  run->add_option("--log-file", options->log_file, "File for the report; %p is the process id (LADDER_LOG_FILE)");
  run->add_flag("--audit", options->audit,
                "Also catch what a preload does not reach: dlsym on a handle, RTLD_DEEPBIND (LD_AUDIT)");
  run->add_option("program", options->program, "The program and its arguments, after --")->required();
  run->positionals_at_end();
  run->callback([&chosen, options] { chosen = [options] { return run_command(*options); }; });
}

void add_verify(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<VerifyOptions>();
  CLI::App* verify = app.add_subcommand("verify", "Check rungs against float64, element by element");
  verify->footer(
      "Without --m, --n and --k a set of problems around each rung's tile is run, with all four pairs of ops.\n"
      "Exit code: 0 all within bound, 1 something was not, 2 nothing could be run.");
  verify->add_option("--rung", options->rung, "A number, a name, or all")
      ->check(known_rung_or_all)
      ->capture_default_str();
  verify->add_option("--device", options->device, "auto takes the GPU if there is one and emulates otherwise")
      ->check(CLI::IsMember({"auto", "gpu", "emulate"}))
      ->capture_default_str();
  verify->add_option("--m", options->m, "Rows of C")->check(CLI::NonNegativeNumber);
  verify->add_option("--n", options->n, "Columns of C")->check(CLI::NonNegativeNumber);
  verify->add_option("--k", options->k, "Inner extent")->check(CLI::NonNegativeNumber);
  verify->add_option("--op", options->op, "Operations on A and B")->check(CLI::IsMember({"NN", "NT", "TN", "TT"}));
  verify->add_option("--alpha", options->alpha, "Factor of the product");
  verify->add_option("--beta", options->beta, "Factor of the old C");
  verify->add_option("--extra-ld", options->extra_ld, "Elements between the end of one column and the next")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verify->add_flag("--json", options->json, "Print JSON instead of a table");
  verify->callback([&chosen, options] { chosen = [options] { return verify_command(*options); }; });
}

int run_from_command_line(int argc, char** argv) {
  CLI::App app{"ladder: run, list, check and time the rungs of libladderblas"};
  app.require_subcommand(1);
  Chosen chosen;
  for (const auto add : {add_list, add_run, add_doctor, add_verify, add_bench, add_accuracy, add_host_peer, add_tune,
                         add_profile, add_launch}) {
    add(app, chosen);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_ok : exit_usage;
  }
  // Here too a rung takes the tile that the library would take.
  shim::heed_tuning_setting();
  return chosen();
}

}  // namespace

}  // namespace ladder::cli

// What was printed and did not arrive (a full disk, a closed stdout) is a failure, and so is what nobody caught.
int main(int argc, char** argv) {
  std::string complaint;
  int code = ladder::cli::exit_failed;
  try {
    code = ladder::cli::run_from_command_line(argc, argv);
    if (std::fflush(stdout) != 0) complaint = fmt::format("cannot write to stdout: {}", std::strerror(errno));
  } catch (const std::exception& error) {
    complaint = error.what();
  }
  if (complaint.empty()) return code;
  std::fputs(("ladder: " + complaint + "\n").c_str(), stderr);
  return ladder::cli::exit_failed;
}
