// SPDX-License-Identifier: MIT
// What `ladder bench` can be asked.
#include <memory>

#include "bench/shape_list.hpp"
#include "bench_command.hpp"
#include "command_line.hpp"

namespace ladder::cli {

namespace {

std::string known_shapes(const std::string& text) {
  std::string complaint;
  bench::parse_shapes(text, complaint);
  return complaint;
}

std::string known_ops(const std::string& text) {
  for (const std::string& pair : CLI::detail::split(text, ',')) {
    if (pair.size() != 2 || pair.find_first_not_of("NT") != pair.npos)
      return "'" + pair + "' is none of NN, NT, TN, TT";
  }
  return {};
}

void add_problems(CLI::App& bench, BenchOptions& options) {
  bench.add_option("shape", options.shapes, "Problems: 4096, 4096x2x4096 (m x n x k), TN:512x64x512, 128*256 (batch)")
      ->check(known_shapes);
  bench.add_option("--shapes", options.shape_file, "CSV file of problems: category, op_a, op_b, m, n, k, ...");
  bench.add_option("--replay", options.replay, "A problem as a line of the library's log (LADDER_LOG=call)");
  bench.add_option("--ops", options.ops, "Each shape with each of these operations, such as NN,NT,TN,TT")
      ->check(known_ops);
  bench.add_option("--category", options.category, "Only problems of this category");
}

void add_contenders(CLI::App& bench, BenchOptions& options) {
  bench
      .add_option("--rungs", options.rungs,
                  "Rungs: 9, a name, 1-9, all, 9:CONFIG for one of a rung's configurations, several with commas; "
                  "the default rung if none is given")
      ->check(known_rungs);
  bench.add_option("--against", options.against,
                   "Peers, the first of which is what ratios compare with: cublas (FP32, pedantic), cublas_default, "
                   "cublas_tf32; openblas, nvblas for a host door; none");
  bench
      .add_option("--door", options.door,
                  "What is called: the kernel, or a function of the library (cublas: cublasSgemm_v2, cblas: "
                  "cblas_sgemm, sgemm_)")
      ->check(CLI::IsMember({"kernel", "cublas", "cblas", "sgemm_"}))
      ->capture_default_str();
}

void add_host_peers(CLI::App& bench, BenchOptions& options) {
  bench.add_option("--blas", options.blas,
                   "File of OpenBLAS for a host door; LADDER_BLAS or the loader's if not given");
  bench.add_option("--nvblas", options.nvblas, "File of NVBLAS for a host door; the loader's if not given");
  bench
      .add_option("--peer-timeout", options.peer_timeout_s,
                  "Seconds that NVBLAS's process may take to answer, beyond what the problem's size explains")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

void add_measuring(CLI::App& bench, BenchOptions& options) {
  constexpr int most_samples = 10000;
  const std::vector<std::string> names(bench::data_names.begin(), bench::data_names.end());
  bench.add_option("--data", options.data, "What A and B hold")->check(CLI::IsMember(names))->capture_default_str();
  bench.add_flag("--warm-cache", options.warm_cache, "Leave in the L2 what the run before left there");
  bench.add_option("--samples", options.samples, "Runs of each contender; 15 to 51 if not given")
      ->check(CLI::Range(1, most_samples));
  bench.add_option("--pause", options.pause_s, "Seconds between FP32 contenders and those on tensor cores")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  bench.add_flag("--ceilings", options.ceilings, "Measure what the GPU can do at best; before the problems if any");
}

void add_reporting(CLI::App& bench, BenchOptions& options) {
  bench.add_option("--output", options.output, "File for the results, .csv or .json");
  CLI::Option* json = bench.add_flag("--json", options.json, "Print JSON instead of tables");
  bench.add_flag("--csv", options.csv, "Print CSV instead of tables")->excludes(json);
  CLI::Option* summarize = bench.add_option("--summarize", options.summarize, "Measure nothing: summarize that file");
  bench.add_option("--rung", options.rung, "Summarize this rung only")->needs(summarize);
  constexpr int two_files = 2;
  bench.add_option("--compare", options.compare, "Measure nothing: what got quicker or slower between two files")
      ->expected(two_files)
      ->excludes(summarize);
}

}  // namespace

void add_bench(CLI::App& app, Chosen& chosen) {
  const auto options = std::make_shared<BenchOptions>();
  CLI::App* bench = app.add_subcommand("bench", "Time rungs against each other and against cuBLAS");
  bench->footer(
      "Examples: ladder bench 4096 --rungs 1-9\n"
      "          ladder bench --shapes tools/bench/shapes.csv --against cublas,cublas_tf32 --output fp32.csv\n"
      "Without a problem: squares from 256 to 4096. Contenders take turns run by run, each with a flushed L2, and "
      "their\n"
      "results are checked. Exit code: 0 all right, 1 a wrong result or a failed launch, 2 nothing could be timed.");
  add_problems(*bench, *options);
  add_contenders(*bench, *options);
  add_host_peers(*bench, *options);
  add_measuring(*bench, *options);
  add_reporting(*bench, *options);
  bench->callback([&chosen, options] { chosen = [options] { return bench_command(*options); }; });
}

}  // namespace ladder::cli
