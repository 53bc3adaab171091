// SPDX-License-Identifier: MIT
// What `ladder accuracy` can be asked.
#include <memory>

#include "accuracy_command.hpp"
#include "bench/text_list.hpp"
#include "command_line.hpp"

namespace ladder::cli {

namespace {

constexpr const char* default_data = "normal,positive,uniform,graded";

std::string known_data(const std::string& text) {
  if (kinds_of_data(text)) return {};
  return "'" + text + "' is neither all nor some of " + bench::joined(bench::data_names, ", ");
}

}  // namespace

std::optional<std::vector<bench::Data>> kinds_of_data(const std::string& text) {
  std::vector<bench::Data> kinds;
  if (text == "all") {
    for (const char* name : bench::data_names) kinds.push_back(*bench::data_named(name));
    std::erase(kinds, bench::Data::zeros);
    return kinds;
  }
  for (const std::string_view name : bench::split(text, ',')) {
    const auto kind = bench::data_named(name);
    if (!kind) return std::nullopt;
    kinds.push_back(*kind);
  }
  return kinds;
}

void add_accuracy(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<AccuracyOptions>();
  options->data = default_data;
  BenchOptions& what = options->what;
  CLI::App* accuracy = app.add_subcommand("accuracy", "How far results of rungs and of cuBLAS are from float64");
  accuracy->footer(
      "Example: ladder accuracy NT:1024x1024x4096 --rungs 8,9 --data normal,positive\n"
      "All elements of C are compared, on the GPU: relative L2 is the norm of all errors / the norm of the result.\n"
      "Where a rung leaves a problem to another one, the row has that one's name.\n"
      "Exit code: 0 all right; 1 a wrong result, a failed launch, or results that could not be written; 2 nothing\n"
      "could be computed.");
  add_problem_options(*accuracy, what, "Problems (1024x1024xK and 4096, NN and NT, if none is given)");
  accuracy->add_option("--rungs", what.rungs, "As `ladder bench` takes them; the default rung if not given")
      ->check(known_rungs);
  accuracy->add_option("--against", what.against,
                       "Peers, or none: cublas (pedantic FP32, if not given), cublas_default, cublas_tf32, "
                       "cublas_bf16x9");
  accuracy->add_flag("--reproducible", options->reproducible,
                     "Each rung also in the plain order of k, as LADDER_REPRODUCIBLE=1 has it");
  accuracy->add_option("--data", options->data, "What A and B hold, several with commas, or all")
      ->check(known_data)
      ->capture_default_str();
  accuracy->add_option("--output", what.output, "CSV file for the results");
  accuracy->add_flag("--csv", what.csv, "Print CSV instead of a table");
  accuracy->callback([&chosen, options] { chosen = [options] { return accuracy_command(*options); }; });
}

}  // namespace ladder::cli
