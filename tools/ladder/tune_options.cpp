// SPDX-License-Identifier: MIT
// What `ladder tune` can be asked.
#include <memory>

#include "auto_rung.hpp"
#include "bench/rung_choice.hpp"
#include "command_line.hpp"
#include "tune_command.hpp"

namespace ladder::cli {

namespace {

/// Empty, or what is wrong with it: all of the rungs must have something to choose from.
std::string tunable_rungs(const std::string& text) {
  if (text == "all") return {};
  std::string complaint;
  const auto choices = bench::parse_rungs(text, complaint);
  if (!choices) return complaint;
  for (const bench::RungChoice& choice : *choices) {
    if (choice.config != nullptr) return choice.name() + ": name the rung alone; the tile is what is searched for";
    if (foremost_kernel(*choice.rung)->configs.size() < 2) return choice.name() + ": this rung has one tile only";
  }
  return {};
}

/// "all" or a number of at least 1, as SearchRules has it.
std::string candidate_count(std::string& text) {
  if (text == "all") text = std::to_string(tune::all_candidates);
  return CLI::PositiveNumber(text).empty() ? std::string() : "a number of at least 1, or all";
}

}  // namespace

void add_tune(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<TuneOptions>();
  CLI::App* tune = app.add_subcommand(
      "tune", "Find by timing the quickest tile of each tunable rung, and the quickest rung for auto");
  tune->footer(
      "Example: ladder tune 4096 TN:14336x1x4096 NN:128x128x128*256\n"
      "A shape is M (a cube) or MxNxK, after the ops and before the batch where they are not NN and 1.\n"
      "The library reads the outcome from its per-user cache or from the file that LADDER_TUNING names.\n"
      "Exit code: 0 tuned, 1 some problem was not or the outcome could not be kept, 2 nothing could be tuned here.");
  CLI::Option* file =
      tune->add_option("--shapes", options->shapes_file, "CSV file of problems, such as tools/bench/shapes.csv");
  CLI::Option* shapes = tune->add_option("shape", options->shapes, "Problems")->excludes(file);
  tune->add_option("--rungs", options->rungs,
                   "Rungs with commas between them, auto for the choice of a rung itself, or\nall: those that have "
                   "several tiles, and auto")
      ->check(tunable_rungs)
      ->capture_default_str();
  tune->add_option("--output", options->output, "The cache to add to (default: where the library looks for it)");
  tune->add_option("--builtin", options->builtin, "Also write the outcome as a table to build into the library");
  tune->add_option("--times", options->times,
                   "Also write a CSV file of what every candidate took and what the model said of it; then none of "
                   "them is\ngiven up before its end");
  tune->add_option("--candidates", options->candidates, "How many of the model's best to time, or all")
      ->transform(CLI::Validator(candidate_count, "N|all"))
      ->capture_default_str();
  tune->add_option("--budget", options->budget_s, "Seconds after which no further problem is begun")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  CLI::Option* host = tune->add_flag("--host", options->host,
                                     "Measure the CPU BLAS, the bus and the way through the GPU instead: by these the "
                                     "library\ndecides which calls with host pointers go to the GPU")
                          ->excludes(file)
                          ->excludes(shapes);
  tune->add_option("--blas", options->blas, "The CPU BLAS for --host (default: LADDER_BLAS, or OpenBLAS)")->needs(host);
  CLI::Option* json = tune->add_flag("--json", options->json, "Print JSON instead of a table");
  tune->add_flag("--show", options->show, "Print what the cache holds, and time nothing")
      ->excludes(file)
      ->excludes(shapes)
      ->excludes(host)
      ->excludes(json);
  tune->callback([&chosen, options] { chosen = [options] { return tune_command(*options); }; });
}

}  // namespace ladder::cli
